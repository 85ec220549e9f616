/** Very many feeds of one account that are due at the same time, and one of another. */
import assert from 'node:assert/strict';
import { tendFeeds } from '../../../src/domain/feeds/due-feeds.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const NIGHTLY = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };
const MANY = 500;

describe('feeds that are due at the same second', function () {
  this.timeout(60_000);
  let folders: FeedFolder;
  let world: World;
  before(async () => {
    folders = await makeFeedFolder();
    // No worker runs: what is started stays as it is.
    world = await startWorld({ files: 'in a folder', environment: { FEED_FOLDERS: folders.allowed } });
  });
  after(async () => {
    await world.stop();
    await folders.remove();
  });

  /** A feed, and so many copies of it, all of which are due since these seconds. */
  async function dueFeed(folder: ShopFolder, secondsAgo: number, copies = 0): Promise<string> {
    const { id } = await folder.make({ schedule: NIGHTLY });
    await world.db.raw(
      `INSERT INTO feed SELECT (jsonb_populate_record(feed, jsonb_build_object('id', :id || '-' || n, 'name', 'Feed ' || n, 'name_key', 'feed ' || n))).*
       FROM feed, generate_series(1, CAST(:copies AS integer)) AS n WHERE id = :id`,
      { id, copies },
    );
    await world
      .db('feed')
      .where({ account_id: folder.shop.account })
      .update({ next_run_at: world.db.raw("now() - ? * interval '1 second'", [secondsAgo]) });
    return id;
  }

  it('begin in turns of the accounts: 500 of one do not keep that of another from being started by the same pass', async () => {
    const flood = await folders.of(await world.newShop());
    const other = await folders.of(await world.newShop());
    await dueFeed(flood, 10, MANY - 1);
    const id = await dueFeed(other, 5);
    const started = await tendFeeds(world.db);
    assert.equal(started.length, 100, 'one pass starts so many');
    assert.equal((await other.runs(id)).length, 1);
  });
});
