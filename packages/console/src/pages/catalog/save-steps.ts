/** The steps from what was typed to what is written: compare, try, write, compare again. */
import type { FailedRow, LongshoreClient, schemas } from '@longshore/client';
import { type Drafts, isSame } from './drafts.js';

const PAGE = 100;
const MOST_CHANGES = 10_000;

export interface Conflict {
  readonly sku: string;
  readonly name: string;
  readonly before: unknown;
  /** Undefined: the item is not there any more. */
  readonly now: unknown;
  readonly mine: unknown;
  readonly isGone: boolean;
}

/** What somebody else has changed since it was shown here. @throws LongshoreError */
export async function findConflicts(
  api: LongshoreClient,
  drafts: Drafts,
  signal: AbortSignal,
): Promise<readonly Conflict[]> {
  const skus = Object.keys(drafts);
  const present = new Map<string, schemas.FoundItem>();
  for (let index = 0; index < skus.length; index += PAGE) {
    const sku = skus.slice(index, index + PAGE);
    const names = [...new Set(sku.flatMap((one) => Object.keys(drafts[one] ?? {})))];
    // So many attributes are shown at once; an edit of more is rare.
    for (let start = 0; start < names.length; start += PAGE) {
      const attributes = names.slice(start, start + PAGE);
      for (let next: schemas.ItemSearchNext = {}; next !== null; ) {
        const body = { match: { sku }, attributes, limit: PAGE, ...next };
        const found: schemas.FoundItems = await api.searchItems({ body }, { signal });
        for (const item of found.items) {
          const known = present.get(item.sku);
          const values = { ...known?.attributes, ...item.attributes };
          present.set(item.sku, { ...item, attributes: values });
        }
        next = found.next;
      }
    }
  }
  return skus.flatMap((sku) =>
    Object.entries(drafts[sku] ?? {}).flatMap(([name, { before, value }]): Conflict[] => {
      const item = present.get(sku);
      const now = item?.attributes[name];
      const isCut = item?.cut?.includes(name) === true && String(before).startsWith(String(now).replace(/…$/, ''));
      if (item !== undefined && (isSame(now, before) || isSame(now, value) || isCut)) return [];
      return [{ sku, name, before, now, mine: value, isGone: item === undefined }];
    }),
  );
}

export interface Written {
  readonly jobId: string;
  readonly failed: readonly FailedRow[];
  /** Nothing is written before somebody approves it. */
  readonly waits: boolean;
}

/** Only items that are there are changed: one that somebody has deleted does not come back. @throws LongshoreError */
export async function send(
  api: LongshoreClient,
  drafts: Drafts,
  dryRun: boolean,
  signal: AbortSignal,
): Promise<Written> {
  const rows = Object.entries(drafts).map(([sku, item]) => ({
    sku,
    attributes: Object.fromEntries(
      Object.entries(item).map(([name, { value }]) => [name, value as string | number | boolean | null]),
    ),
  }));
  const { jobIds, failed, awaitingApproval } = await api.bulk('updateItems', rows, { dryRun, signal });
  return { jobId: jobIds[0] ?? '', failed, waits: awaitingApproval.length > 0 };
}

/** Between the comparison and the writing somebody else may have written: what was overwritten is told. */
export async function findOverwritten(
  api: LongshoreClient,
  jobId: string,
  drafts: Drafts,
  signal: AbortSignal,
): Promise<readonly Conflict[]> {
  const found: Conflict[] = [];
  let seen = 0;
  for await (const { sku, attributes } of api.jobChanges(jobId, { signal })) {
    if (++seen > MOST_CHANGES) break;
    if (sku === null) continue;
    for (const [name, { before }] of Object.entries(attributes)) {
      const draft = drafts[sku]?.[name];
      if (draft === undefined || isSame(before, draft.before) || typeof before === 'object') continue;
      found.push({ sku, name, before: draft.before, now: before, mine: draft.value, isGone: false });
    }
  }
  return found;
}
