/** Records what a transaction has changed, in that transaction: if it is undone, so is the record. */
import type { Knex } from 'knex';
import { prepared } from '../../../db/prepared.js';
import type { Changes } from './model/item-change.js';

/** What was changed for one job, or by one request. */
export interface ChangedSite {
  readonly siteId: number;
  /** Null: a request that is no job. */
  readonly jobId: string | null;
  /** Who asked for it: "token:5f…". Null: the system itself. */
  readonly actor: string | null;
  /** Whether nothing was changed, but would have been: a dry run. Its record is written after the changes were undone. */
  readonly isPreview?: boolean;
  readonly changes: Changes;
}

/**
 * Records changes with one statement, while the rows of the items are still locked: the order of the records of an item is
 * the order of its changes.
 */
export async function recordChanges(trx: Knex.Transaction, sites: readonly ChangedSite[]): Promise<void> {
  const changed = sites.filter(({ changes }) => changes.created.length + changes.changed.length > 0);
  if (changed.length === 0) return;
  const sets: object[] = [];
  const items: object[] = [];
  // The values are the most of it. Each line is parsed once and stored as it is, and not cut out of a larger document.
  const values: string[] = [];
  for (const [x, { siteId, jobId, actor, isPreview = false, changes }] of changed.entries()) {
    sets.push({ x, s: siteId, j: jobId, w: actor, p: isPreview, ...createdOf(changes) });
    for (const [index, { sku, operation, row, changed: differences }] of changes.changed.entries()) {
      items.push({ x, n: index + 1, o: operation, r: row, k: sku });
      values.push(JSON.stringify(differences));
    }
  }
  const given = JSON.stringify(sets);
  if (items.length === 0) await prepared(trx, RECORD_SETS, [given]);
  else await prepared(trx, RECORD_ALL, [given, JSON.stringify(items), values.join('\n')]);
}

/**
 * Created items as Postgres takes the least time to store them: SKUs as the lines of one text, which it cuts, instead of
 * as a list in JSON, which it parses element by element; and of rows that follow each other the first one alone.
 */
function createdOf({ created, createdRows }: Changes): { l?: string; c?: readonly string[]; r?: readonly number[] } {
  if (created.length === 0) return {};
  const r = followEachOther(createdRows) ? createdRows.slice(0, 1) : createdRows;
  const l = created.join('\n');
  return linesIn(l) === created.length ? { l, r } : { c: created, r };
}

function followEachOther(rows: readonly number[]): boolean {
  const first = rows[0] ?? 0;
  return rows.every((row, index) => row === first + index);
}

/** A SKU may contain a line break. */
function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Deletes what an earlier attempt at a dry run has recorded. */
export async function forgetPreview(trx: Knex.Transaction, jobId: string): Promise<void> {
  await trx.raw(
    `WITH gone AS (DELETE FROM change_set WHERE job_id = ? AND preview RETURNING id, at)
     DELETE FROM item_change USING gone WHERE item_change.set_id = gone.id AND item_change.at = gone.at`,
    [jobId],
  );
  await trx('surrounding_change').where({ job_id: jobId, preview: true }).delete();
}

/**
 * Deletes what previews have recorded of items that no row of their input names: those that a file lacks. They have sets of
 * their own, with the statuses that follow from them; what follows from rows stays with these.
 */
export async function forgetPreviewedRemovals(trx: Knex.Transaction, jobIds: readonly string[]): Promise<void> {
  await trx.raw(
    `WITH shown AS MATERIALIZED (
       -- Set by set, by their key: joined, a log that was never analyzed is read as a whole.
       SELECT id, at FROM change_set AS set
       WHERE job_id = ANY (CAST(:jobIds AS text[])) AND preview AND created IS NULL AND EXISTS (
         SELECT FROM item_change AS own WHERE own.set_id = set.id AND own.at = set.at AND own.row_no IS NULL
           AND own.operation IN ('U', 'D') OFFSET 0)
     ), gone AS (
       DELETE FROM change_set USING shown
       WHERE change_set.job_id = ANY (CAST(:jobIds AS text[])) AND change_set.id = shown.id AND change_set.at = shown.at
       RETURNING change_set.id, change_set.at
     )
     DELETE FROM item_change USING gone WHERE item_change.set_id = gone.id AND item_change.at = gone.at`,
    { jobIds: [...jobIds] },
  );
}

const GIVEN = `
  WITH given AS MATERIALIZED (
    SELECT nextval('change_set_id_seq') AS id, one.* FROM json_to_recordset(?::json)
      AS one (x integer, s integer, j text, w text, p boolean, l text, c text[], r integer[])
  )`;

const INSERT_SETS = `
  INSERT INTO change_set (id, site_id, job_id, actor, preview, created, created_rows)
  SELECT id, s, j, w, p, coalesce(string_to_array(l, chr(10)), c), r FROM given`;

const RECORD_SETS = `${GIVEN} ${INSERT_SETS}`;

/** JSON has no line break within a text. */
const RECORD_ALL = `${GIVEN}, sets AS (${INSERT_SETS})
  INSERT INTO item_change (set_id, n, site_id, operation, row_no, sku, changed)
  SELECT given.id, change.n, given.s, change.o, change.r, change.k, change.line::jsonb
  FROM ROWS FROM (
    json_to_recordset(?::json) AS (x integer, n integer, o "char", r integer, k text), string_to_table(?, chr(10))
  ) AS change (x, n, o, r, k, line)
  JOIN given ON given.x = change.x`;
