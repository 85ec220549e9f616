/** What each row of a preview would change, as a digest: an approved job writes a row only if it would still do the same. */
import { createHash } from 'node:crypto';
import type { Db } from '../../../../db/connection.js';
import { type Changes, type Differences, FIELD } from '../../changes/model/item-change.js';
import type { RowApplier } from '../rows/row-applier.js';

/** Row → digest of what it changes, of rows that change something. */
export type RowDigests = ReadonlyMap<number, string>;

/**
 * The digests of the rows of an input. What follows for other items belongs to no row.
 * @param attributeName see RowApplier
 */
export function digestsOf(
  { created, createdRows, createdAs = [], changed, definitionRows = [] }: Changes,
  attributeName: RowApplier['attributeName'],
): RowDigests {
  const parts = new Map<number, string[]>();
  const add = (row: number, part: unknown[]) => {
    const own = parts.get(row);
    if (own === undefined) parts.set(row, [JSON.stringify(part)]);
    else own.push(JSON.stringify(part));
  };
  for (const [index, sku] of created.entries()) add(createdRows[index] ?? 0, ['C', sku, createdAs[index]]);
  for (const { row, operation, sku, changed: differences } of changed) {
    if (row !== null) add(row, [operation, sku, sorted(differences, attributeName)]);
  }
  // What such a row changes is part of it, unless it fails: what is compared is whether it does.
  for (const row of definitionRows) add(row, ['definition']);
  return new Map([...parts].map(([row, own]) => [row, digest(own)]));
}

/** The order of attributes is that of the stored item, then of the row. */
function sorted(differences: Differences, attributeName = (id: string) => id): unknown[] {
  return Object.entries(differences)
    .map(([id, difference]): [string, unknown] => [
      attributeName(id),
      // Categories of alternate trees stand by their ids, and the job may have created them.
      id === FIELD.alternates
        ? JSON.stringify(difference, (_, one) => (typeof one === 'string' ? attributeName(one) : one))
        : difference,
    ])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** 63 bits, as a number of Postgres: a row cannot be made to have the digest of another one by chance. */
function digest(parts: readonly string[]): string {
  const hash = createHash('sha256').update(parts.join('\n')).digest();
  return String(hash.readBigInt64BE() & 0x7fff_ffff_ffff_ffffn);
}

/** Keeps what rows of a preview would change. */
export async function recordPreviewRows(
  db: Db,
  jobId: string,
  changes: Changes | undefined,
  { attributeName }: Pick<RowApplier, 'attributeName'>,
): Promise<void> {
  if (changes === undefined) return;
  const digests = [...digestsOf(changes, attributeName)].sort(([one], [other]) => one - other);
  const [first] = digests;
  const last = digests.at(-1);
  if (first === undefined || last === undefined) return;
  await db.raw(
    'INSERT INTO preview_row (job_id, first_row, last_row, rows, digests) VALUES (?, ?, ?, ?::integer[], ?::bigint[])',
    [jobId, first[0], last[0], arrayOf(digests.map(([row]) => row)), arrayOf(digests.map(([, value]) => value))],
  );
}

function arrayOf(numbers: readonly (number | string)[]): string {
  return `{${numbers.join(',')}}`;
}

/** Deletes what an earlier attempt at a preview has recorded. */
export async function forgetPreviewRows(db: Db, jobId: string): Promise<void> {
  await db('preview_row').where({ job_id: jobId }).delete();
}

/** What rows of a preview would have changed. Others would have changed nothing, or would have failed. */
export async function loadPreviewRows(db: Db, jobId: string, first: number, last: number): Promise<RowDigests> {
  const { rows } = await db.raw<{ rows: { row: number; digest: string }[] }>(
    `SELECT one.row, one.digest::text AS digest FROM preview_row
     CROSS JOIN LATERAL unnest(rows, digests) AS one (row, digest)
     WHERE job_id = :jobId AND first_row <= :last AND last_row >= :first AND one.row BETWEEN :first AND :last`,
    { jobId, first, last },
  );
  return new Map(rows.map(({ row, digest: value }) => [row, value]));
}
