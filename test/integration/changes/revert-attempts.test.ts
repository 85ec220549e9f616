/** A chunk of a revert whose transaction was undone is tried again with the same rules as at first. */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { snapshotDefinitions } from '../../../src/domain/catalog/definition-snapshot.js';
import { bumpDefinitions } from '../../../src/domain/catalog/definitions-version.js';
import { rulesWithin } from '../../../src/domain/imports/items/load-rules.js';
import { CurrentRules } from '../../../src/domain/imports/reverts/current-rules.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the rules of a revert, after its transaction was undone', () => {
  let world: World;
  let siteId: number;
  let current: CurrentRules;
  before(async () => {
    world = await startWorld({ workers: true, redisUrl: undefined });
  });
  after(() => world.stop());
  beforeEach(async () => {
    const shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    ({ siteId } = shop);
    const { account_id: accountId } = await world.db('site').where({ id: siteId }).first('account_id');
    const begun = await world.db.transaction(async (trx) =>
      rulesWithin(trx, siteId, await snapshotDefinitions(trx, siteId)),
    );
    const job = { jobId: 'a'.repeat(24), actor: null, siteId, accountId, channel: null, revertOf: [], isDryRun: false };
    current = new CurrentRules(job, begun);
    await assert.rejects(
      world.db.transaction(async (trx) => {
        await retype(trx);
        assert.equal(await typeOfTitle(trx), 'INTEGER');
        throw new Error('undone');
      }),
      /undone/,
    );
  });

  it('are those of the next attempt, although it gives the definitions the same version', async () => {
    await world.db.transaction(async (trx) => {
      await bumpDefinitions(trx, siteId);
      await current.afterDefinitions(trx, [], false);
      assert.equal(await typeOfTitle(trx), 'TEXT');
    });
  });

  it('are those that it began with, before the next attempt has come to definitions', async () => {
    await world.db.transaction(async (trx) => {
      await bumpDefinitions(trx, siteId);
      assert.equal(await typeOfTitle(trx), 'TEXT');
    });
  });

  async function retype(trx: Knex.Transaction): Promise<void> {
    await bumpDefinitions(trx, siteId);
    await trx('attribute').where({ site_id: siteId, name: 'Title' }).update({ type: 'INTEGER' });
    await current.afterDefinitions(trx, [], false);
  }

  async function typeOfTitle(trx: Knex.Transaction): Promise<string | undefined> {
    const { definitions } = await current.rules(trx);
    return definitions.attributes.find(({ name }) => name === 'Title')?.type;
  }
});
