/** A release on the database of a newer one: it changes nothing, and says what is the matter. */
import assert from 'node:assert/strict';
import { migrateDatabase } from '../../../db/migrate.js';
import { queryOnce } from '../../support/worlds/query-once.js';
import { runProgram } from '../../support/worlds/run-program.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';

describe('the migrations on the database of a newer release', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    await queryOnce(
      database.url,
      "INSERT INTO schema_migration (name, batch, migration_time) VALUES ('29990101000000_later.js', 99, now())",
    );
  });
  after(() => database.drop());

  it('say that it is newer, which migration this release does not know, and what to do', async () => {
    await assert.rejects(migrateDatabase(database.url), {
      message:
        'the database is newer than this release: it has 1 migration that this release does not know, the last one ' +
        '29990101000000_later.js. Nothing was changed. Start the newer release, or restore a backup from before the ' +
        'upgrade with this one',
    });
  });

  it('end the release step with 1 and this sentence', async () => {
    const { code, stderr } = await runProgram('app/release/main.js', [], {
      DATABASE_URL: database.url,
      SECRETS_KEY: '-'.repeat(32),
    }).end;
    assert.equal(code, 1);
    assert.match(stderr, /^release: the database is newer than this release: /m);
    assert.doesNotMatch(stderr, /corrupt/);
  });
});
