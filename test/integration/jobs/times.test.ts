/** The times of a job are in order, however it ends. */
import assert from 'node:assert/strict';
import { acceptExport, exportFile } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the times of a job', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Hats: ['Title'] } });
  });
  after(() => world.stop());

  const item = (sku: string, nodeName = 'Hats') => ({ sku, nodeName });
  const retried = async (jobId: string) => {
    const { status, body } = await shop.call('POST', `/jobs/${jobId}/actions/retry`);
    assert.equal(status, 202);
    return shop.outcome(body.jobId);
  };
  const assertInOrder = async (many: number) => {
    const { rows } = await world.db.raw(
      `SELECT id, type, status, created_at <= coalesce(started_at, created_at)
         AND coalesce(started_at, created_at) <= completed_at AS "inOrder",
         started_at - created_at AS waited, completed_at - started_at AS took
       FROM job WHERE site_id = ? AND completed_at IS NOT NULL`,
      [shop.siteId],
    );
    assert.ok(rows.length >= many);
    assert.deepEqual(
      rows.filter(({ inOrder }: { inOrder: boolean }) => !inOrder),
      [],
    );
  };

  it('are in order when it ends in its request, in a batch, in chunks, or is retried, rejected, cancelled or an export', async () => {
    const failed = (await shop.bulk('upsert', [item('a'), item('b', 'Caps')])).body.jobId;
    const sent = Array.from({ length: 12 }, (_, n) =>
      shop.bulk('upsert', [item(`s${n}`), item(`t${n}`, 'Caps')], { headers: { prefer: 'respond-async' } }),
    );
    for (const { body } of await Promise.all(sent)) await shop.outcome(body.jobId);
    const lines = Array.from({ length: 9 }, (_, n) => `f${n},${n % 2 === 0 ? 'Hats' : 'Caps'}`);
    const file = await shop.importFile('i.csv', ['SKU,Category Node', ...lines].join('\n'));
    for (let again = 0; again < 5; again++) await retried(again % 2 === 0 ? failed : file.id);
    assert.equal((await shop.importFile('i.csv', 'Nothing,Here\n1,2\n')).status, 'REJECTED');
    const announced = await shop.ask('POST', '/files/product', {
      body: { fileName: 'l.csv', fileType: 'ITEM_IMPORT' },
    });
    await shop.call('POST', `/jobs/${announced.jobId}/actions/cancel`);
    assert.equal((await shop.outcome(announced.jobId)).status, 'CANCELLED');
    for (const entity of ['product', 'attribute', 'category'] as const) await exportFile(shop, { entity });
    // One that is cancelled, unless it has ended before.
    const late = await acceptExport(shop);
    await shop.call('POST', `/jobs/${late}/actions/cancel`);
    await untilEnded(shop, late);
    const exports = await world.db('job').where({ site_id: shop.siteId }).whereLike('type', '%EXPORT%');
    assert.equal(exports.filter(({ completed_at: end }: { completed_at: Date | null }) => end !== null).length, 4);
    await assertInOrder(24);
  });
});
