/**
 * Refuses migrations that would keep a release from working while they run: each is run, and what it has done to the
 * tables that were there before is looked up in the catalog. So it does not matter how its SQL is written.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connectDb, type Db } from '../../../db/connection.js';
import { migrateDatabase } from '../../../db/migrate.js';
import { until } from '../../support/until.js';
import { OWN_LOCKS } from '../../support/worlds/own-sessions.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';

const DIRECTORY = fileURLToPath(new URL('../../../db/migrations', import.meta.url));
const MIGRATIONS = { directory: DIRECTORY, loadExtensions: ['.js'], tableName: 'schema_migration' };

/** Tables with few rows: those that people make one by one. */
const SMALL: ReadonlySet<string> = new Set([
  'access_token',
  'account',
  'attribute',
  'attribute_mapping',
  'endpoint_health',
  'endpoint_rate',
  'oauth_client',
  'process_heartbeat',
  'site',
  'webhook_definition',
]);

/** Migrations from before the first installation that had large tables. Nothing is added here: change the migration. */
const KNOWN: ReadonlySet<string> = new Set([
  '20261121091002_job-end-events',
  '20261121092001_export-output',
  '20261122090000_job-order',
  '20261122100100-open-chunks',
  '20261122120000-endpoints-of-deliveries',
  '20261122140000_ordered-deliveries',
]);

/** A migration that needs an exclusive lock of the table `job`. */
const CHANGES_JOBS = '20261122194100-traceparents';

interface Snapshot {
  /** Table → the file that holds its rows: another one when it was rewritten. */
  readonly tables: ReadonlyMap<string, string>;
  /** `table.column`. */
  readonly mandatory: ReadonlySet<string>;
  /** Columns that a checked constraint keeps from being null: `table.column`. */
  readonly neverNull: ReadonlySet<string>;
  /** `table constraint`: those that all rows were checked for. */
  readonly checked: ReadonlySet<string>;
  /** `table index`. */
  readonly indexes: ReadonlySet<string>;
}

const OF_US = "relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'schema_migration%'";

async function snapshot(db: Db): Promise<Snapshot> {
  const pairs = async (statement: string) =>
    (await db.raw<{ rows: { name: string; value: string }[] }>(statement)).rows.map(
      ({ name, value }) => [name, value] as const,
    );
  const names = async (statement: string) =>
    new Set((await pairs(statement)).map(([table, name]) => `${table} ${name}`));
  const dotted = async (statement: string) =>
    new Set((await pairs(statement)).map(([table, name]) => `${table}.${name}`));
  return {
    tables: new Map(await pairs(`SELECT relname AS name, relfilenode::text AS value FROM pg_class WHERE ${OF_US}`)),
    mandatory: await dotted(
      `SELECT relname AS name, attname AS value FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       WHERE ${OF_US} AND attnum > 0 AND attnotnull AND NOT attisdropped`,
    ),
    neverNull: await dotted(
      `SELECT relname AS name, substring(pg_get_constraintdef(pg_constraint.oid) FROM '^CHECK \\(\\((\\w+) IS NOT NULL\\)\\)$') AS value
       FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid WHERE ${OF_US} AND contype = 'c' AND convalidated`,
    ),
    checked: await names(
      `SELECT relname AS name, conname AS value FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
       WHERE ${OF_US} AND contype IN ('c', 'f') AND convalidated`,
    ),
    indexes: await names(
      `SELECT pg_class.relname AS name, of_index.relname AS value FROM pg_index
       JOIN pg_class ON pg_class.oid = indrelid JOIN pg_class AS of_index ON of_index.oid = indexrelid
       WHERE pg_class.relnamespace = 'public'::regnamespace AND pg_class.relkind = 'r'`,
    ),
  };
}

/** Statements that change rows, or lock a table as a whole, with the table's name. */
const TOUCHES =
  /^\s*(?:WITH\b[\s\S]*?)?\b(UPDATE|DELETE FROM|LOCK TABLE|TRUNCATE(?: TABLE)?|CLUSTER|REINDEX TABLE)\s+(?:ONLY\s+)?"?(\w+)"?/i;
const NO_STATEMENT = /^\s*(?:CREATE|DO|COMMENT|ALTER|INSERT INTO "?schema_migration|UPDATE "?schema_migration)/i;

/**
 * Runs `migrate` and says what it has done that keeps requests or jobs waiting on a table with many rows.
 * @param isTransaction false: `migrate` commits each of its statements by itself
 */
async function findingsOf(db: Db, migrate: () => Promise<unknown>, isTransaction: boolean): Promise<string[]> {
  const before = await snapshot(db);
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }) => statements.push(sql);
  db.on('query', note);
  try {
    await migrate();
  } finally {
    db.removeListener('query', note);
  }
  const after = await snapshot(db);
  const isOld = (table: string) => !SMALL.has(table) && before.tables.has(table) && after.tables.has(table);
  const said = (pattern: RegExp) => statements.some((sql) => pattern.test(sql));
  const found: string[] = [];
  for (const [table, file] of after.tables) {
    if (isOld(table) && before.tables.get(table) !== file) {
      found.push(`rewrites ${table} under an exclusive lock: add a new column, and fill it in small steps`);
    }
  }
  const added = (of: (snapshot: Snapshot) => ReadonlySet<string>) =>
    [...of(after)].filter((name) => !of(before).has(name) && isOld(name.split(/[ .]/)[0] ?? ''));
  for (const name of added(({ indexes }) => indexes)) {
    const [table, index] = name.split(' ');
    if (said(new RegExp(`\\bINDEX CONCURRENTLY (?:IF NOT EXISTS )?"?${index}\\b`, 'i'))) continue;
    found.push(`builds the index ${index} while nobody can write to ${table}: use CREATE INDEX CONCURRENTLY`);
  }
  for (const name of added(({ checked }) => checked)) {
    const [table, constraint] = name.split(' ');
    if (!isTransaction && said(new RegExp(`VALIDATE CONSTRAINT "?${constraint}\\b`, 'i'))) continue;
    found.push(`checks all rows of ${table} for ${constraint}: add it NOT VALID, and validate it by itself afterwards`);
  }
  for (const name of added(({ mandatory }) => mandatory)) {
    const [table, column] = name.split('.');
    // A new column with a default is filled by the catalog alone, or the table was rewritten.
    if (before.neverNull.has(name) || said(new RegExp(`ADD COLUMN (?:IF NOT EXISTS )?"?${column}\\b`, 'i'))) continue;
    found.push(`looks for nulls in all rows of ${table}.${column}: validate CHECK (${column} IS NOT NULL) before`);
  }
  for (const sql of statements) {
    const [, what = '', table = ''] = NO_STATEMENT.test(sql) ? [] : (TOUCHES.exec(sql) ?? []);
    if (!isOld(table) || (!isTransaction && /^(UPDATE|DELETE)/i.test(what))) continue;
    found.push(`${what.toUpperCase()} ${table}: its locks are held to the end of the migration; do it in small steps`);
  }
  return found;
}

describe('migrations', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = connectDb({ url: database.url, poolMax: 4, name: 'longshore-test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  it('lock no table that is in use for longer than a moment', async () => {
    await db.raw('DROP SCHEMA public CASCADE');
    await db.raw('CREATE SCHEMA public');
    const refused: string[] = [];
    const known = new Set<string>();
    for (const file of readdirSync(DIRECTORY)
      .filter((name) => name.endsWith('.js'))
      .sort()) {
      const { config } = (await import(`${DIRECTORY}/${file}`)) as { config?: { transaction?: boolean } };
      const found = await findingsOf(db, () => db.migrate.up(MIGRATIONS), config?.transaction !== false);
      const name = file.replace(/\.js$/, '');
      if (found.length > 0 && KNOWN.has(name)) known.add(name);
      else refused.push(...found.map((finding) => `${name} ${finding}`));
    }
    assert.deepEqual(refused, [], 'see "Migrations" in CONTRIBUTING.md');
    assert.deepEqual(
      [...KNOWN].filter((name) => !known.has(name)),
      [],
      'is listed, and locks nothing',
    );
  });

  for (const [what, statement, finding] of [
    [
      'an index',
      'CREATE INDEX planted_ix ON job (reason)',
      /builds the index planted_ix while nobody can write to job/,
    ],
    ['a unique constraint', 'ALTER TABLE file ADD CONSTRAINT planted UNIQUE (id, name)', /builds the index planted /],
    ['a volatile default', 'ALTER TABLE item ADD COLUMN planted uuid DEFAULT gen_random_uuid()', /rewrites item /],
    ['another type', 'ALTER TABLE job_chunk ALTER COLUMN row_count TYPE bigint', /rewrites job_chunk /],
    [
      'a check',
      'ALTER TABLE event ADD CONSTRAINT planted CHECK (deliveries >= 0)',
      /checks all rows of event for planted/,
    ],
    [
      'a foreign key',
      'ALTER TABLE delivery ADD CONSTRAINT planted FOREIGN KEY (event_id) REFERENCES event',
      /checks all rows of delivery/,
    ],
    [
      'a column that becomes mandatory',
      'ALTER TABLE file ALTER COLUMN expires_at SET NOT NULL',
      /nulls in all rows of file\.expires_at/,
    ],
    ['a change of all rows', 'UPDATE item SET status = status', /^UPDATE item: its locks are held/],
    ['a deletion', 'WITH old AS (SELECT 1) DELETE FROM job WHERE id IN (SELECT id FROM job)', /^DELETE FROM job: /],
    ['a lock', 'LOCK TABLE delivery IN SHARE MODE', /^LOCK TABLE delivery: /],
  ] as const) {
    it(`are refused with ${what}`, async () => {
      const found = await planted([statement]);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] ?? '', finding);
    });
  }

  for (const [what, statements] of Object.entries({
    'columns that may be null, or have a constant default': [
      'ALTER TABLE job ADD COLUMN planted text',
      "ALTER TABLE item ADD COLUMN planted text NOT NULL DEFAULT 'none'",
    ],
    'constraints that are not checked yet': [
      'ALTER TABLE event ADD CONSTRAINT planted CHECK (deliveries >= 0) NOT VALID',
    ],
    'tables of their own, with all that belongs to them': [
      'CREATE TABLE planted (id text PRIMARY KEY, job_id text NOT NULL, n integer CHECK (n > 0))',
      'CREATE INDEX planted_job_ix ON planted (job_id)',
      'UPDATE planted SET n = 1',
    ],
    'functions, comments and grants': [
      'CREATE FUNCTION planted() RETURNS void LANGUAGE sql AS $$ UPDATE item SET status = status $$',
      "COMMENT ON TABLE item IS 'planted'",
    ],
  })) {
    it(`may have ${what}`, async () => {
      assert.deepEqual(await planted(statements), []);
    });
  }

  it('may build an index concurrently, and fill rows in steps, where each statement is committed by itself', async () => {
    const run = async () => {
      await db.raw('CREATE INDEX CONCURRENTLY planted_ix ON job (reason)');
      await db.raw("UPDATE job SET reason = reason WHERE id < '5'");
      await db.raw('DROP INDEX CONCURRENTLY planted_ix');
    };
    assert.deepEqual(await findingsOf(db, run, false), []);
  });

  it('give way to a transaction that holds what they need, and come back when it has ended', async () => {
    for (let last = ''; !last.startsWith(CHANGES_JOBS); ) [, [last = '']] = await db.migrate.down(MIGRATIONS);
    const holder = await db.transaction();
    // As a long import does: whoever asks for an exclusive lock keeps all that come after it waiting.
    await holder('job').first();
    const migrated = migrateDatabase(database.url);
    const waiting = async () =>
      (await db.raw(`SELECT FROM ${OWN_LOCKS} WHERE NOT granted AND mode = 'AccessExclusiveLock'`)).rows.length > 0;
    await until('the migration waits', waiting, 20_000);
    await until('it has given way', async () => !(await waiting()), 20_000);
    await db('job').first();
    await holder.rollback();
    await migrated;
    assert.equal((await db.migrate.list(MIGRATIONS))[1].length, 0, 'nothing is left to migrate');
  });

  /** What is found of a migration with these statements, which is rolled back. */
  async function planted(statements: readonly string[]): Promise<string[]> {
    // One connection, so that the look before and after is within the transaction.
    const trx = await db.transaction();
    try {
      return await findingsOf(
        trx,
        async () => {
          for (const statement of statements) await trx.raw(statement);
        },
        true,
      );
    } finally {
      await trx.rollback();
    }
  }
});
