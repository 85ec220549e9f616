/** Four busy worker processes on one Postgres, queues and all: nobody is told that there are too many. */
import assert from 'node:assert/strict';
import { untilEnded } from '../support/http/until-ended.js';
import { IMPORT_CATALOG, importRows } from '../support/models/import-rows.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

const TENANTS = 30;
const REQUESTS = 3;

describe('thirty tenants at once on four worker processes', function () {
  this.timeout(600_000);
  let world: SystemWorld;
  before(async () => {
    world = await startSystemWorld({ workers: 4 });
  });
  after(() => world.stop());

  it('are all served, and no connection is refused', async () => {
    const { csv } = importRows(20_000);
    const shops = await Promise.all(
      Array.from({ length: TENANTS }, async () => (await world.newShop()).define(IMPORT_CATALOG)),
    );
    const ends = shops.flatMap((shop) => [
      shop.upload('large.csv', csv).then((jobId) => untilEnded(shop, jobId)),
      ...Array.from({ length: REQUESTS }, async (_, request) => {
        const { body } = await shop.call('POST', '/api-product/v1/product/bulk/insert', { body: itemsOf(request) });
        return untilEnded(shop, body.jobId);
      }),
    ]);
    for (const { status } of await Promise.all(ends)) assert.match(status, /^COMPLETED/);
    for (const name of ['web', ...world.workers()]) assert.doesNotMatch(world.logOf(name), /too many clients/);
  });
});

function itemsOf(request: number) {
  return Array.from({ length: 3_000 }, (_, index) => ({
    sku: `${request}-${index}`,
    nodeName: 'Storage->Disk',
    attributes: { Title: `Disk ${index}`, Price: '9.5', Stock: index % 90, Colour: 'red' },
  }));
}
