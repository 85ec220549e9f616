/** How a bulk request names a category: as it is called and where it stands now, which somebody else may have changed since it was shown. */
import type { InputOf, LongshoreClient } from '@longshore/client';

type CategoryRow = InputOf<'upsertCategories'>['body'][number];

export interface PresentCategory {
  readonly name: string;
  /** What a row says to mean this category, and no other. */
  readonly row: CategoryRow;
}

/** @throws LongshoreError 404 when it is not there any more */
export async function presentCategory(api: LongshoreClient, nodeId: number): Promise<PresentCategory> {
  const { category } = await api.listChildCategories({ nodeId, limit: 1 });
  // With a node id the API names its category, or answers 404.
  const { name, type, breadcrumbs } = category ?? { name: '', type: 'PRIMARY' as const, breadcrumbs: [] };
  const parent = breadcrumbs.at(-2)?.nodeId;
  if (parent !== undefined) return { name, row: { name, parentNodeId: parent } };
  return { name, row: type === 'PRIMARY' ? { path: 'PRIMARY' } : { name, type } };
}
