/**
 * An older release works on the schema of this one while a deploy is under way: nothing that it reads or writes is
 * gone, and what it does not know of it need not write.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connectDb, type Db } from '../../../db/connection.js';
import { knownMigrations } from '../../../db/migrate.js';
import { isBefore, oldestRelease } from '../../../db/oldest-release.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';

/** A file for each release: its tables, with their columns. Frozen once the release is out. */
const SCHEMAS = fileURLToPath(new URL('../../../../test/fixtures/schema/', import.meta.url));

/** Column → its type, with `!` when it may not be null, and `=` when it has a default. */
type Schema = Readonly<Record<string, Readonly<Record<string, string>>>>;

async function schemaOf(db: Db): Promise<Schema> {
  const { rows } = await db.raw<{ rows: { table: string; column: string; type: string }[] }>(
    `SELECT relname AS table, attname AS column, format_type(atttypid, atttypmod)
       || CASE WHEN attnotnull THEN '!' ELSE '' END
       || CASE WHEN atthasdef OR attidentity <> '' THEN '=' ELSE '' END AS type
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
       AND relname NOT LIKE 'schema_migration%'
     ORDER BY relname, attname`,
  );
  const schema: Record<string, Record<string, string>> = {};
  for (const { table, column, type } of rows) {
    schema[table] ??= {};
    schema[table][column] = type;
  }
  return schema;
}

const isMandatory = (type: string) => type.includes('!') && !type.includes('=');
const typeOf = (type: string) => type.replace(/[!=]+$/, '');

describe('the schema', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let db: Db;
  let today: Schema;
  before(async () => {
    database = await createTestDatabase();
    db = connectDb({ url: database.url, poolMax: 1, name: 'longshore-test' });
    today = await schemaOf(db);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  it('allows the releases that are recorded here, and none that is older', async () => {
    const oldest = await oldestRelease(db);
    const [first] = readdirSync(SCHEMAS)
      .map((file) => file.replace(/\.json$/, ''))
      .sort((a, b) => (isBefore(a, b) ? -1 : 1));
    assert.equal(oldest?.version, first, 'who removes the record of a release forbids it by a migration');
    assert.ok((await knownMigrations()).includes(oldest?.migration ?? ''), oldest?.migration);
  });

  for (const file of readdirSync(SCHEMAS)) {
    const release = file.replace(/\.json$/, '');
    const before: Schema = JSON.parse(readFileSync(SCHEMAS + file, 'utf8'));

    it(`has everything that release ${release} reads and writes`, () => {
      const missing: string[] = [];
      for (const [table, columns] of Object.entries(before)) {
        for (const [column, type] of Object.entries(columns)) {
          const now = today[table]?.[column];
          if (now === undefined) missing.push(`${table}.${column} is gone`);
          else if (typeOf(now) !== typeOf(type)) missing.push(`${table}.${column} was ${type} and is ${now}`);
          else if (now.includes('!') && !type.includes('!'))
            missing.push(`${table}.${column} may not be null any more`);
          else if (isMandatory(now) && !isMandatory(type)) missing.push(`${table}.${column} has no default any more`);
        }
      }
      assert.deepEqual(missing, []);
    });

    it(`demands nothing that release ${release} does not write`, () => {
      const demanded = Object.entries(before).flatMap(([table, columns]) =>
        Object.entries(today[table] ?? {}).flatMap(([column, type]) =>
          !(column in columns) && isMandatory(type) ? [`${table}.${column}`] : [],
        ),
      );
      assert.deepEqual(demanded, []);
    });
  }
});
