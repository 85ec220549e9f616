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
  const [only] = changed;
  if (only === undefined) return;
  const items: object[] = [];
  // The values are the most of it. Each line is parsed once and stored as it is, and not cut out of a larger document.
  const values: string[] = [];
  for (const [x, { changes }] of changed.entries()) {
    for (const [index, { sku, operation, row, changed: differences }] of changes.changed.entries()) {
      items.push({ x, n: index + 1, o: operation, r: row, k: sku });
      values.push(JSON.stringify(differences));
    }
  }
  const { given, bindings } = changed.length === 1 && isListable(only.changes) ? givenSet(only) : givenSets(changed);
  if (items.length === 0) await prepared(trx, `${given} ${INSERT_SETS}`, bindings);
  else await prepared(trx, given + RECORD_ALL, [...bindings, JSON.stringify(items), values.join('\n')]);
}

/** The sets, as SQL that begins a statement. */
interface GivenSets {
  readonly given: string;
  readonly bindings: Knex.RawBinding[];
}

/** A chunk creates thousands of items: Postgres reads lists of them in half the time that it takes to read them in JSON. */
function givenSet({
  siteId,
  jobId,
  actor,
  isPreview = false,
  changes: { created, createdRows },
}: ChangedSite): GivenSets {
  const [skus, rows] = created.length > 0 ? [created.join('\n'), `{${createdRows.join()}}`] : [null, null];
  return { given: GIVEN_SET, bindings: [siteId, jobId, actor, isPreview, skus, rows] };
}

/** Whether the SKUs of the created items can be a list of lines. */
function isListable({ created }: Changes): boolean {
  return !created.some((sku) => sku.includes('\n'));
}

function givenSets(sites: readonly ChangedSite[]): GivenSets {
  const sets = sites.map(({ siteId: s, jobId: j, actor: w, isPreview: p = false, changes }, x) => {
    const [c, r] = changes.created.length > 0 ? [changes.created, changes.createdRows] : [];
    return { x, s, j, w, p, c, r };
  });
  return { given: GIVEN_SETS, bindings: [JSON.stringify(sets)] };
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

const GIVEN_SET = `
  WITH given AS MATERIALIZED (
    SELECT nextval('change_set_id_seq') AS id, 0 AS x, ?::integer AS s, ?::text AS j, ?::text AS w, ?::boolean AS p,
      string_to_array(?, chr(10)) AS c, ?::integer[] AS r
  )`;

const GIVEN_SETS = `
  WITH given AS MATERIALIZED (
    SELECT nextval('change_set_id_seq') AS id, one.* FROM json_to_recordset(?::json)
      AS one (x integer, s integer, j text, w text, p boolean, c text[], r integer[])
  )`;

const INSERT_SETS = `
  INSERT INTO change_set (id, site_id, job_id, actor, preview, created, created_rows)
  SELECT id, s, j, w, p, c, r FROM given`;

/** JSON has no line break within a text. */
const RECORD_ALL = `, sets AS (${INSERT_SETS})
  INSERT INTO item_change (set_id, n, site_id, operation, row_no, sku, changed)
  SELECT given.id, change.n, given.s, change.o, change.r, change.k, change.line::jsonb
  FROM ROWS FROM (
    json_to_recordset(?::json) AS (x integer, n integer, o "char", r integer, k text), string_to_table(?, chr(10))
  ) AS change (x, n, o, r, k, line)
  JOIN given ON given.x = change.x`;
