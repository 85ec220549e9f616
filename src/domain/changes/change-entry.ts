/** One change of one item or definition, as it is read from the change log, and the SQL that reads it. */
import type { Differences } from './model/item-change.js';
import { SURROUNDING_KINDS, type SurroundingKind } from './model/surrounding-image.js';

/** How a reader knows an operation. STATUS: the status of an item follows from a change of something else. */
export const CHANGE_OPERATIONS = ['CREATED', 'UPDATED', 'DELETED', 'STATUS'] as const;
export type ChangeOperation = (typeof CHANGE_OPERATIONS)[number];

/** What a change may be of. */
export const CHANGE_KINDS = ['item', 'attribute', 'category', 'assignment', 'mapping'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** What a change of a job may be of: the import of an archive changes what is around the catalog as well. */
export const JOB_CHANGE_KINDS = [...CHANGE_KINDS, ...SURROUNDING_KINDS] as const;
type JobChangeKind = (typeof JOB_CHANGE_KINDS)[number];

/** A definition before and after its change, with all that defines it. */
interface ChangedDefinition {
  /** The id; of an assignment that of the attribute and that of the category, of a mapping its name, of the settings `settings`. */
  readonly key: string;
  /** Null: there was none. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** Null: there is none. */
  readonly after: Readonly<Record<string, unknown>> | null;
}

export interface ChangeEntry {
  /** The set that it belongs to, and its place there. */
  readonly setId: number;
  readonly n: number;
  /** The place of its set in the feed of the site; null: none yet, or a preview. */
  readonly position: number | null;
  readonly at: Date;
  readonly jobId: string | null;
  /** Who asked for it: "token:5f…"; null: the system itself. */
  readonly actor: string | null;
  readonly kind: JobChangeKind;
  readonly operation: ChangeOperation;
  /** The row of the input that it comes from. */
  readonly row: number | null;
  /** Empty for a definition. */
  readonly sku: string;
  /** Empty for a created item: its first values are the present ones with later changes undone. */
  readonly changed: Differences;
  /** Null for an item. */
  readonly definition: ChangedDefinition | null;
}

/** Which entries are wanted. */
export interface ChangeFilter {
  readonly kinds?: readonly ChangeKind[] | undefined;
  /** Of a job, what it has changed around the catalog: these kinds. Absent: none. */
  readonly surroundings?: readonly SurroundingKind[] | undefined;
  readonly operations?: readonly ChangeOperation[] | undefined;
  /** Ids of attributes, or names of fields: only changes of one of them. Created items have none of them. */
  readonly attributes?: readonly string[] | undefined;
  /** Whether `attributes` leaves all created and deleted items among them. */
  readonly withCreatedAndDeleted?: boolean | undefined;
  readonly sku?: string | undefined;
}

/** What the entries of one set have in common. */
interface EntrySet extends Pick<ChangeEntry, 'setId' | 'position' | 'jobId' | 'actor'> {
  readonly at: string;
}

/** An entry as a query returns it: each value that it repeats would take as long to read as a new one. */
export interface EntryRow extends Omit<ChangeEntry, 'setId' | 'position' | 'at' | 'jobId' | 'actor' | 'kind'> {
  /** Null: that of the row before. */
  readonly set: EntrySet | null;
  /** Null: an item. */
  readonly kind: ChangeKind | null;
}

/**
 * SQL: the columns of an EntryRow, of the sets `set` of `change_set`. Select it FROM the sets that you want, CROSS JOIN
 * LATERAL entriesAfter(…) AS entry. @param order SQL: the ORDER BY of the query
 */
export function entryColumns(order: string): string {
  return `CASE WHEN lag(set.id) OVER (ORDER BY ${order}) IS DISTINCT FROM set.id THEN json_build_object(
      'setId', set.id, 'position', set.position, 'at', set.at, 'jobId', set.job_id, 'actor', set.actor) END AS set,
    entry.n, nullif(entry.kind, 'item') AS kind, entry.operation, entry.row, entry.sku, entry.changed, entry.definition`;
}

/** The entries of all rows of one query. */
export function entriesOf(rows: readonly EntryRow[]): ChangeEntry[] {
  let common: Omit<EntrySet, 'at'> & { readonly at: Date } = {
    setId: 0,
    position: null,
    at: new Date(0),
    jobId: null,
    actor: null,
  };
  return rows.map(({ set, n, kind, operation, row, sku, changed, definition }) => {
    if (set !== null) common = { ...set, at: new Date(set.at) };
    const { setId, position, at, jobId, actor } = common;
    return { setId, n, position, at, jobId, actor, kind: kind ?? 'item', operation, row, sku, changed, definition };
  });
}

/**
 * SQL: the entries of a set after one of its places, in no order: a page of a large set does not read what pages before it have. Each
 * set lists its created items first. OFFSET 0 keeps the planner from repeating what is in its subquery for each entry, where it
 * would unpack all created items of the set again.
 * @param place SQL: 0 for all of the set
 * @param most SQL: how many entries of each set are wanted, so that no more are read and sorted; absent: all, of which the
 *   caller chooses some
 * @param kinds of which entries are wanted, so that those of items are not read for definitions; absent: all
 */
export function entriesAfter(place: string, most?: string, kinds: readonly ChangeKind[] = CHANGE_KINDS): string {
  const few = most === undefined ? '' : `ORDER BY change.n LIMIT ${most}`;
  const definitions = `(SELECT change.n, change.kind,
       CASE change.operation WHEN 'C' THEN 'CREATED' WHEN 'U' THEN 'UPDATED' ELSE 'DELETED' END AS operation,
       NULL::integer AS row, '' AS sku, '{}'::jsonb AS changed,
       jsonb_build_object('key', change.key, 'before', change.before, 'after', change.after) AS definition
     FROM definition_change AS change WHERE change.set_id = set.id AND change.at = set.at AND change.n > start.n ${few})`;
  if (!kinds.includes('item')) {
    return `(SELECT entry.* FROM (SELECT ${place} AS n) AS start CROSS JOIN LATERAL ${definitions} AS entry)`;
  }
  const slice = `[start.created + 1:${most === undefined ? '' : `start.created + ${most}`}]`;
  return `(
  SELECT entry.* FROM (
    SELECT ${place} AS n, least(${place}, size) AS created, size
    FROM (SELECT coalesce(cardinality(set.created), 0) AS size OFFSET 0) AS all_created OFFSET 0) AS start
  CROSS JOIN LATERAL (
    SELECT created.n::integer + start.created AS n, 'item' AS kind, 'CREATED' AS operation,
      -- Of rows that follow each other the first alone is kept.
      coalesce(created.row, set.created_rows[1] + start.created + created.n::integer - 1) AS row, created.sku,
      '{}'::jsonb AS changed, NULL::jsonb AS definition
    FROM unnest(set.created${slice}, set.created_rows${slice}) WITH ORDINALITY AS created (sku, row, n)
    UNION ALL
    (SELECT start.size + change.n, 'item',
       CASE change.operation WHEN 'U' THEN 'UPDATED' WHEN 'D' THEN 'DELETED' ELSE 'STATUS' END,
       change.row_no, change.sku, change.changed, NULL
     FROM item_change AS change WHERE change.set_id = set.id AND change.at = set.at
       AND change.n > start.n - start.size ${few})
    UNION ALL
    ${definitions}) AS entry)`;
}

const IS_CREATED_OR_DELETED = "entry.kind = 'item' AND entry.operation IN ('CREATED', 'DELETED')";

/** SQL: whether an entry is wanted. */
export function isWanted({ kinds, operations, attributes, withCreatedAndDeleted, sku }: ChangeFilter): {
  readonly sql: string;
  /** Whether every entry is. */
  readonly isAll: boolean;
  readonly bindings: Readonly<Record<string, string | string[]>>;
} {
  const conditions = ['true'];
  const bindings: Record<string, string | string[]> = {};
  if (kinds !== undefined) {
    conditions.push('entry.kind = ANY (:kinds::text[])');
    bindings.kinds = [...kinds];
  }
  if (operations !== undefined) {
    conditions.push('entry.operation = ANY (:operations::text[])');
    bindings.operations = [...operations];
  }
  if (attributes !== undefined) {
    // A function, because knex takes the operator ?| for a binding.
    const isChanged = 'jsonb_exists_any(entry.changed, :attributes::text[])';
    conditions.push(withCreatedAndDeleted ? `(${isChanged} OR ${IS_CREATED_OR_DELETED})` : isChanged);
    bindings.attributes = [...attributes];
  }
  if (sku !== undefined) {
    conditions.push('entry.sku = :sku');
    bindings.sku = sku;
  }
  return { sql: conditions.join(' AND '), isAll: conditions.length === 1, bindings };
}
