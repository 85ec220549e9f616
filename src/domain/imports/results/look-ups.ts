/** Looks up the ids of what the rows of a job have written. */
import type { Db } from '../../../../db/connection.js';
import { prepared } from '../../../../db/prepared.js';
import { fromInTurns } from '../../../platform/time-slice.js';
import type { LoadedJob } from '../../job-model/job-type.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { itemId } from '../../kernel/identifier.js';
import { findPlaces } from '../categories/find-places.js';
import type { RowResult } from '../model/row-result.js';
import type { RowName } from './row-names.js';

/** What naming the rows of a job needs. */
export interface NamedJob {
  readonly site_id: number;
  readonly jobType: Pick<LoadedJob['jobType'], 'rowNaming' | 'result'>;
}

/** Adds the current ids of the records that the applied rows name; other rows have no record. */
export async function withIds(db: Db, job: NamedJob, rows: readonly NamedResult[]): Promise<RowResult[]> {
  const applied = rows.filter(({ outcome }) => APPLIED.includes(outcome));
  const found = await LOOK_UPS[job.jobType.result](db, job.site_id, applied);
  return fromInTurns(rows, (row) => {
    const { index, row: number, outcome, errors } = row;
    const { key, id, nodeId } = APPLIED.includes(outcome) ? found(row) : { key: row.key, id: null };
    if (nodeId === undefined) return { index, row: number, key, outcome, errors, id };
    return { index, row: number, key, outcome, errors, id, nodeId };
  });
}

/** How the records that rows name are looked up. The job of an export has no applied rows. */
const LOOK_UPS = { items, attributes, categories, file: items } as const satisfies Readonly<
  Record<LoadedJob['jobType']['result'], unknown>
>;

/** The outcomes created, updated, unchanged and deleted. */
const APPLIED = 'cunx';

export type NamedResult = RowResult & { readonly place: RowName['place'] | undefined };
type Found = Pick<RowResult, 'key' | 'id' | 'nodeId'>;

async function categories(db: Db, siteId: number, rows: readonly NamedResult[]): Promise<(row: RowResult) => Found> {
  const found = await findPlaces(
    db,
    siteId,
    rows.map(({ place }) => place),
  );
  const byRow = new Map(rows.map(({ row }, index) => [row, found[index]]));
  return ({ row, key }) => {
    const category = byRow.get(row);
    return { key: category?.path ?? key, id: category?.id ?? null, nodeId: category?.nodeId ?? null };
  };
}

async function items(db: Db, siteId: number, rows: readonly RowResult[]): Promise<(row: RowResult) => Found> {
  const ids = await itemIds(
    db,
    siteId,
    rows.flatMap(({ key }) => key ?? []),
  );
  return ({ key }) => ({ key, id: ids.get(key ?? '') ?? null });
}

/** A row names its attribute by id, by name, or by both, when it renames it. */
async function attributes(db: Db, siteId: number, rows: readonly RowResult[]): Promise<(row: RowResult) => Found> {
  const known: { id: string; name: string; name_key: string }[] = await db('attribute')
    .where({ site_id: siteId })
    .where((query) =>
      query
        .whereIn(
          'name_key',
          rows.flatMap(({ key }) => (key === null ? [] : attributeKey(key))),
        )
        .orWhereIn(
          'id',
          rows.flatMap(({ id }) => id ?? []),
        ),
    )
    .select('id', 'name', 'name_key');
  const byKey = new Map(known.map((attribute) => [attribute.name_key, attribute]));
  const byId = new Map(known.map((attribute) => [attribute.id, attribute]));
  return ({ key, id }) => {
    if (id !== null) return { key: key ?? byId.get(id)?.name ?? null, id };
    return { key, id: byKey.get(attributeKey(key ?? ''))?.id ?? null };
  };
}

async function itemIds(db: Db, siteId: number, skus: readonly string[]): Promise<Map<string, string>> {
  const result = await prepared(
    db,
    `SELECT item.sku, item.row_no FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (SELECT sku, row_no FROM item WHERE site_id = ? AND sku = wanted.sku COLLATE "C" LIMIT 1) AS item`,
    [JSON.stringify(skus), siteId],
  );
  return new Map(result.rows.map((row: { sku: string; row_no: number }) => [row.sku, itemId(siteId, row.row_no)]));
}
