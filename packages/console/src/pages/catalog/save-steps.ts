/** The steps from what was typed to what is written: compare, try, write, compare again. */
import type { FailedRow, LongshoreClient, schemas } from '@longshore/client';
import { type Drafts, isSame } from './drafts.js';
import {
  draftName,
  fieldOf,
  fieldsOf,
  hasAlternates,
  KEEPS_VALUES,
  presentFields,
  rowOf,
  sameForm,
} from './item-fields.js';

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
    const drafted = [...new Set(sku.flatMap((one) => Object.keys(drafts[one] ?? {})))];
    const names = drafted.filter((name) => fieldOf(name) === undefined && name !== KEEPS_VALUES);
    // So many attributes are shown at once; an edit of more is rare. Who changes fields alone asks for no value.
    for (let start = 0; start === 0 || start < names.length; start += PAGE) {
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
  const alternates = await findAlternates(api, drafts, signal);
  return skus.flatMap((sku) => {
    const item = present.get(sku);
    const fields = item === undefined ? undefined : presentFields(item, alternates.get(sku) ?? []);
    return Object.entries(drafts[sku] ?? {}).flatMap(([name, { before, value }]): Conflict[] => {
      const field = fieldOf(name);
      // It is decided with the parent.
      if (name === KEEPS_VALUES) return [];
      const now = field === undefined ? item?.attributes[name] : fields?.[field];
      const isCut = item?.cut?.includes(name) === true && String(before).startsWith(String(now).replace(/…$/, ''));
      if (item !== undefined && (isSame(now, before) || isSame(now, value) || isCut)) return [];
      return [{ sku, name, before, now, mine: value, isGone: item === undefined }];
    });
  });
}

/** The categories of alternate trees of the items of which these are drafted. */
async function findAlternates(
  api: LongshoreClient,
  drafts: Drafts,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>();
  for (const [sku, item] of Object.entries(drafts)) {
    if (hasAlternates(item))
      found.set(
        sku,
        (await alternatesOf(api, sku, signal)).map(({ nodeId }) => nodeId),
      );
  }
  return found;
}

/** All categories of alternate trees that hold an item. @throws LongshoreError */
export async function alternatesOf(
  api: LongshoreClient,
  sku: string,
  signal: AbortSignal,
): Promise<readonly schemas.Category[]> {
  const found: schemas.Category[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await api.listCategories({ sku, type: 'ALTERNATE', offset, limit: PAGE }, { signal });
    found.push(...page.data);
    if (offset + PAGE >= page.count) return found;
  }
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
  const rows = Object.entries(drafts).map(([sku, item]) => rowOf(sku, item));
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
  for await (const { sku, attributes, fields } of api.jobChanges(jobId, { signal })) {
    if (++seen > MOST_CHANGES) break;
    if (sku === null) continue;
    for (const [name, { before }] of Object.entries(attributes)) {
      const draft = drafts[sku]?.[name];
      if (draft === undefined || isSame(before, draft.before) || typeof before === 'object') continue;
      found.push({ sku, name, before: draft.before, now: before, mine: draft.value, isGone: false });
    }
    for (const field of fieldsOf(fields)) {
      const draft = drafts[sku]?.[draftName(field)];
      const now = sameForm(field, fields[field]?.before);
      if (draft === undefined || isSame(now, draft.before)) continue;
      found.push({ sku, name: draftName(field), before: draft.before, now, mine: draft.value, isGone: false });
    }
  }
  return found;
}
