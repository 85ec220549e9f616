/** A system that is upgraded with tokens and clients in use: they may do what they did. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../../src/domain/access/clients.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const MIGRATION = '20261122141000_document-scopes.js';
const MIGRATIONS = {
  directory: fileURLToPath(new URL('../../../db/migrations', import.meta.url)),
  loadExtensions: ['.js'],
  tableName: 'schema_migration',
};

describe('the migration to scopes of documents', function () {
  this.timeout(60_000);
  let api: TestApi;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());

  it('gives them to tokens and clients that have events:write, and takes them back', async () => {
    const { db, account } = api;
    const make = async (name: string, scopes: string[]) => {
      await createToken(db, { accountId: account, name, scopes });
      await createClient(db, { accountId: account, name, scopes });
    };
    await make('events', ['catalog:read', 'events:write']);
    await make('catalog', ['catalog:read']);
    const scopes = async (name: string) => [
      ...(await db('access_token').where({ name }).pluck('scopes')),
      ...(await db('oauth_client').where({ name }).pluck('scopes')),
    ];
    for (let last = ''; !last.endsWith(MIGRATION); ) {
      const [, [undone]]: [number, string[]] = await db.migrate.down(MIGRATIONS);
      last = String(undone);
    }
    assert.deepEqual(await scopes('events'), Array(2).fill(['catalog:read', 'events:write']));
    await db.migrate.latest(MIGRATIONS);
    const withDocuments = ['catalog:read', 'events:write', 'documents:read', 'documents:write'];
    assert.deepEqual(await scopes('events'), Array(2).fill(withDocuments));
    assert.deepEqual(await scopes('catalog'), Array(2).fill(['catalog:read']));
    await db.migrate.down(MIGRATIONS);
    await db.migrate.latest(MIGRATIONS);
    assert.deepEqual(await scopes('events'), Array(2).fill(withDocuments), 'the second time adds nothing');
  });
});
