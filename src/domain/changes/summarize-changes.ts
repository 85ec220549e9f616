/** Sums up what a job has changed, or would have changed. */
import type { Db } from '../../../db/connection.js';
import type { ChangeOperation } from './change-entry.js';
import type { DefinitionKind } from './model/definition-image.js';
import { isShown } from './model/is-shown.js';
import { DEFINITION_CHANGES, ITEM_CHANGES } from './model/of-set.js';

/** How one key, an attribute's id or a field, was changed in items that were there before and still are. */
interface ChangedKey {
  readonly key: string;
  /** In how many items. */
  readonly changed: number;
  /** In how many of them there was nothing before, and in how many there is nothing after. */
  readonly set: number;
  readonly cleared: number;
}

/** How a number was changed: by a part of what it was before, so that 0.5 is half of it more, and -0.5 half of it less. */
interface ChangedNumber {
  readonly sku: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly part: number;
}

/** The changes of numbers of one attribute. */
interface ChangedNumbers {
  readonly key: string;
  /** In how many items it was changed by more than a half. */
  readonly byMoreThanHalf: number;
  /** The largest changes first. */
  readonly largest: readonly ChangedNumber[];
}

/** How many of the largest changes are given. */
const LARGEST = 10;

/** How many definitions of one kind were changed. */
interface ChangedDefinitions {
  readonly kind: DefinitionKind;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

export interface ChangeSummary {
  /** Kinds of which none was changed are left out. */
  readonly definitions: readonly ChangedDefinitions[];
  /** Of items. */
  readonly operations: Readonly<Record<ChangeOperation, number>>;
  /** The keys that most items have changed first. */
  readonly keys: readonly ChangedKey[];
  readonly numbers: readonly ChangedNumbers[];
}

/** @param numberIds ids of the attributes whose values are numbers */
export async function summarizeChanges(db: Db, jobId: string, numberIds: readonly string[]): Promise<ChangeSummary> {
  const { rows: counts } = await db.raw<{ rows: { operation: ChangeOperation; count: number }[] }>(COUNTS, { jobId });
  const { rows: keys } = await db.raw<{ rows: ChangedKey[] }>(KEYS, { jobId });
  const { rows: numbers } = await db.raw<{ rows: ChangedNumbers[] }>(NUMBERS, { jobId, ids: [...numberIds] });
  const { rows: definitions } = await db.raw<{ rows: ChangedDefinitions[] }>(DEFINITIONS, { jobId });
  const none = { CREATED: 0, UPDATED: 0, DELETED: 0, STATUS: 0 };
  return {
    definitions,
    operations: { ...none, ...Object.fromEntries(counts.map((row) => [row.operation, row.count])) },
    keys,
    numbers,
  };
}

const IS_SHOWN = isShown('set');

const COUNTS = `
  SELECT 'CREATED' AS operation, coalesce(sum(cardinality(created)), 0)::integer AS count
  FROM change_set AS set WHERE set.job_id = :jobId AND ${IS_SHOWN}
  UNION ALL
  SELECT CASE change.operation WHEN 'U' THEN 'UPDATED' WHEN 'D' THEN 'DELETED' ELSE 'STATUS' END, count(*)::integer
  FROM change_set AS set ${ITEM_CHANGES.text}
  WHERE set.job_id = :jobId AND ${IS_SHOWN} GROUP BY 1`;

const DEFINITIONS = `
  SELECT change.kind, (count(*) FILTER (WHERE change.operation = 'C'))::integer AS created,
    (count(*) FILTER (WHERE change.operation = 'U'))::integer AS updated,
    (count(*) FILTER (WHERE change.operation = 'D'))::integer AS deleted
  FROM change_set AS set ${DEFINITION_CHANGES.text}
  WHERE set.job_id = :jobId AND ${IS_SHOWN} GROUP BY change.kind ORDER BY change.kind`;

const KEYS = `
  SELECT entry.key, count(*)::integer AS changed,
    (count(*) FILTER (WHERE entry.value -> 'b' IS NULL))::integer AS set,
    (count(*) FILTER (WHERE entry.value -> 'a' IS NULL))::integer AS cleared
  FROM change_set AS set ${ITEM_CHANGES.text}
  CROSS JOIN LATERAL jsonb_each(change.changed) AS entry
  WHERE set.job_id = :jobId AND ${IS_SHOWN} AND change.operation = 'U'
  GROUP BY entry.key ORDER BY changed DESC, entry.key`;

/**
 * SQL, without a question mark, which knex takes for a binding: one side of a difference as a number. NULL: there is none,
 * or it is of the time when its attribute held texts.
 */
function number(side: 'b' | 'a'): string {
  return `CASE WHEN difference ->> '${side}' ~ '^-{0,1}[0-9]+([.][0-9]+){0,1}$' THEN (difference ->> '${side}')::numeric END`;
}

const NUMBERS = `
  WITH numbers AS (
    SELECT wanted.key, change.sku, difference -> 'b' AS before, difference -> 'a' AS after,
      ${number('b')} AS old, ${number('a')} AS new
    FROM change_set AS set ${ITEM_CHANGES.text}
    CROSS JOIN unnest(:ids::text[]) AS wanted (key)
    CROSS JOIN LATERAL (SELECT change.changed -> wanted.key AS difference) AS found
    WHERE set.job_id = :jobId AND ${IS_SHOWN} AND change.operation = 'U' AND jsonb_exists(change.changed, wanted.key)
  ), parts AS (
    SELECT key, sku, before, after, CASE WHEN old = 0 THEN NULL ELSE (new - old) / abs(old) END AS part,
      2 * abs(new - old) > abs(old) AS "isFar"
    FROM numbers WHERE old IS NOT NULL AND new IS NOT NULL
  ), ranked AS (
    -- What was 0 before has grown beyond any part.
    SELECT *, row_number() OVER (PARTITION BY key ORDER BY abs(part) DESC NULLS FIRST, sku) AS nth FROM parts
  )
  SELECT key, (count(*) FILTER (WHERE "isFar"))::integer AS "byMoreThanHalf",
    jsonb_agg(jsonb_build_object('sku', sku, 'before', before, 'after', after, 'part', round(part, 4)) ORDER BY nth)
      FILTER (WHERE nth <= ${LARGEST}) AS largest
  FROM ranked GROUP BY key ORDER BY "byMoreThanHalf" DESC, key`;
