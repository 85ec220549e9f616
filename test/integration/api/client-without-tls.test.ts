/** The client in a page that is served without TLS, where browsers have fewer functions. */
import assert from 'node:assert/strict';
import { createClient } from '@longshore/client';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the client in a page that is served without TLS', () => {
  const { randomUUID } = globalThis.crypto;
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true });
    Object.defineProperty(globalThis.crypto, 'randomUUID', { value: undefined, configurable: true, writable: true });
  });
  after(async () => {
    Object.defineProperty(globalThis.crypto, 'randomUUID', { value: randomUUID, configurable: true, writable: true });
    await world.stop();
  });

  it('sends rows and files, with keys by which they are accepted once', async () => {
    const shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    const { account, token } = shop;
    const client = createClient({ baseUrl: world.api.url, token, site: { account } });
    const sent = await client.bulk('insertItems', [{ sku: 'A', nodeName: 'Disk' }]);
    assert.deepEqual(sent.failed, []);
    const { job } = await client.importFile('SKU,Category Node\nB,Disk\n', { fileName: 'items.csv' });
    assert.equal(job.status, 'COMPLETED');
    const keys = await world.db('idempotency_key').whereNotNull('key').select('key');
    assert.equal(new Set(keys.map(({ key }) => key)).size, 2);
  });
});
