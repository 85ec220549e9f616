/** Gives a category attributes of its own, and takes them away: one job, which can be taken back. */
import type { BulkResult, LongshoreClient } from '@longshore/client';
import { presentCategory } from './category-rows.js';

const PAGE = 100;

export interface Assigned {
  readonly attributeId: string;
  readonly mandatory: boolean;
}

/** The attributes that a category assigns itself, as they are now. @throws LongshoreError */
export async function ownAttributes(api: LongshoreClient, nodeId: number): Promise<readonly Assigned[]> {
  const own: Assigned[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await api.listCategoryAttributes({ nodeId, offset, limit: PAGE });
    for (const { id, required, inherited } of page.data) {
      if (!inherited) own.push({ attributeId: id, mandatory: required });
    }
    if (offset + PAGE >= page.count) return own;
  }
}

/** Changes the list of what a category assigns: the API takes it as a whole, so that it is read right before. @throws LongshoreError */
export async function assign(
  api: LongshoreClient,
  nodeId: number,
  change: (own: readonly Assigned[]) => readonly Assigned[],
): Promise<BulkResult> {
  const itemAttributes = change(await ownAttributes(api, nodeId)).map((one) => ({ ...one }));
  const { row } = await presentCategory(api, nodeId);
  return api.bulk('upsertCategories', [{ ...row, itemAttributes }]);
}
