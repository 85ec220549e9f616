/** The tables and sequences of a database that a backup contains. */
import type { Db } from '../../../db/connection.js';

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Other tables to whose rows its rows refer. */
  readonly refersTo: readonly string[];
}

/** Rows that mean nothing without the processes that wrote them, and what the migrations write by themselves. */
const WITHOUT_ROWS = [
  'process_heartbeat',
  'hourly_figure',
  'oldest_release',
  'schema_migration',
  'schema_migration_lock',
];

/** Our tables whose rows a backup contains, each after those to which it refers. */
export async function tablesOf(db: Db): Promise<readonly Table[]> {
  const { rows } = await db.raw<{ rows: Table[] }>(
    `SELECT c.relname AS name,
       ARRAY(SELECT attname::text FROM pg_attribute
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns,
       ARRAY(SELECT DISTINCT parent.relname::text FROM pg_constraint JOIN pg_class AS parent ON parent.oid = confrelid
             WHERE conrelid = c.oid AND contype = 'f' AND confrelid <> c.oid) AS "refersTo"
     FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relpersistence = 'p'
       -- A partitioned table with the rows of its partitions.
       AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> ALL (?) ORDER BY c.relname`,
    [WITHOUT_ROWS],
  );
  const ordered: Table[] = [];
  for (let left = rows; left.length > 0; ) {
    const names = new Set(left.map(({ name }) => name));
    const free = left.filter(({ refersTo }) => !refersTo.some((name) => names.has(name)));
    if (free.length === 0) throw new Error(`these tables refer to each other in a circle: ${[...names].join(', ')}`);
    ordered.push(...free);
    left = left.filter((table) => !free.includes(table));
  }
  return ordered;
}

/** The names of our sequences. */
export async function sequencesOf(db: Db): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' ORDER BY relname",
  );
  return rows.map(({ name }) => name).filter((name) => !WITHOUT_ROWS.some((table) => name.startsWith(`${table}_`)));
}
