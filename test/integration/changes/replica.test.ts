/** A feed is never answered by a replica, nor with the positions of a primary whose last changes were lost. */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { cursorOfSnapshot, presentCursor, readFeed } from '../../../src/domain/changes/feed.js';
import { resolveSince } from '../../../src/domain/changes/resolve-since.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { outageOf } from '../../../src/platform/outage.js';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../../support/worlds/replicated-postgres.js';

describe('the feed of a site beside a replica', function () {
  this.timeout(120_000);
  let postgres: ReplicatedPostgres;
  let siteId: number;
  before(async () => {
    postgres = await startReplicatedPostgres();
    const account = newId();
    await postgres.primary('account').insert({ id: account, name: 'replicated' });
    siteId = await resolveSite(postgres.primary, account, 'live');
  });
  after(() => postgres.stop());

  const define = (db: Knex, name: string) =>
    db('attribute').insert({
      ...{
        id: newId(),
        site_id: siteId,
        name,
        name_key: name.toLowerCase(),
        type: 'TEXT',
        position: 1,
        definition: {},
      },
    });
  const namesSince = async (cursor: string) =>
    (await readFeed(postgres.replica, siteId, cursor, {}, 10)).entries.map(({ definition }) => definition?.after?.name);

  it('is an outage where a replica is asked, behind or not: none of its cursors is refused as if the database were restored', async () => {
    const { primary, replica } = postgres;
    const isOutage = (error: unknown) => outageOf(error) === 'database' && /replica/.test(String(error));
    await define(primary, 'Before');
    const cursor = await presentCursor(primary, siteId);
    await postgres.caughtUp();
    await assert.rejects(readFeed(replica, siteId, cursor, {}, 10), isOutage);
    await postgres.cutOff();
    await define(primary, 'Lost');
    const later = await presentCursor(primary, siteId);
    await assert.rejects(readFeed(replica, siteId, later, {}, 10), isOutage);
    await assert.rejects(resolveSince(replica, siteId, { cursor: later }), isOutage);
    await assert.rejects(presentCursor(replica, siteId), isOutage);
    await assert.rejects(cursorOfSnapshot(replica, siteId), isOutage);
  });

  it('begins again as soon as a replica is the primary: its positions are given a second time', async () => {
    const { primary, replica } = postgres;
    const lost = await presentCursor(primary, siteId);
    await postgres.failOver();
    const cursor = await presentCursor(replica, siteId);
    const gone = { code: 'CURSOR_GONE', message: /begin again with GET \/changes\/cursor/ };
    for (const name of ['First', 'Second']) await define(replica, name);
    await assert.rejects(readFeed(replica, siteId, lost, {}, 10), gone);
    assert.deepEqual(
      await namesSince(cursor),
      ['First', 'Second'],
      'a cursor of before its first checkpoint stays valid',
    );
    await replica.raw('CHECKPOINT');
    assert.deepEqual(await namesSince(cursor), ['First', 'Second'], 'and after it');
  });
});
