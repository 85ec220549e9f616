/** Files are refused before the store is full. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { createApp } from '../../../src/api/app.js';
import { type RunningServer, startServer } from '../../../src/api/server.js';
import { mountSmallDisk } from '../../support/faults/small-disk.js';
import { assertRefused, type FileWorld, startFileWorld } from '../../support/worlds/file-world.js';

const MEBIBYTE = 1024 * 1024;

describe('a file store with less free space than its reserve', () => {
  let world: FileWorld;
  let strict: RunningServer;
  before(async () => {
    world = await startFileWorld({}, 'in a folder');
    const { services } = world.api;
    // The same files, and a reserve that this machine does not have.
    const config = { ...services.config, storageReserveBytes: 1024 ** 5 };
    strict = await startServer(createApp({ ...services, config }).callback(), { host: '127.0.0.1', port: 0 });
  });
  after(async () => {
    await strict.stop(0);
    await world.api.stop();
  });

  it('refuses announcements, uploads and exports with 503, the reason and Retry-After', async () => {
    const file = await world.announce();
    const { pathname, search } = new URL(file.location);
    const post = (path: string, body: unknown) =>
      fetch(`${strict.url}${path}`, {
        method: 'POST',
        headers: { ...world.api.headers(), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const refused of [
      await post('/files/product', { fileName: 'items.csv', fileType: 'ITEM_IMPORT' }),
      await world.put(`${strict.url}${pathname}${search}`, 'SKU\nA\n'),
    ]) {
      assert.equal(refused.headers.get('retry-after'), '60');
      await assertRefused(refused, 503, 'SERVER_ERROR', /free space, of which \d+ MiB are reserved for work/);
    }
    const exported = await post('/jobs/product/actions/filter-export', { match: {} });
    assert.equal(exported.status, 503, await exported.text());
    const headers = { ...world.api.headers(), 'content-type': 'application/json', 'idempotency-key': 'room' };
    const body = JSON.stringify({ fileName: 'items.csv', fileType: 'ITEM_IMPORT' });
    const [first, again] = [
      await fetch(`${world.api.url}/files/product`, { method: 'POST', headers, body }),
      await fetch(`${strict.url}/files/product`, { method: 'POST', headers, body }),
    ];
    assert.deepEqual([again.status, await again.text()], [200, await first.text()], 'a repeated request needs no room');
    await world.untouched(file);
    assert.equal((await world.put(file.location, 'SKU\nA\n')).status, 200, 'the URL can be used again');
  });
});

describe('a file store on a small disk', () => {
  /** A body whose length the server does not know before. */
  function unknownLength(mebibytes: number): ReadableStream<Uint8Array> {
    let sent = 0;
    return new ReadableStream({
      pull: (controller) => {
        if (sent++ < mebibytes) controller.enqueue(new Uint8Array(MEBIBYTE));
        else controller.close();
      },
    });
  }

  for (const { what, reserve, message } of [
    { what: 'keeps its reserve free', reserve: '24', message: /24 MiB are reserved/ },
    { what: 'without a reserve runs full', reserve: '0', message: /is full; nothing was stored/ },
  ]) {
    it(`that ${what} during an upload refuses the rest, and has its space back`, async function () {
      const disk = mountSmallDisk(48);
      if (disk === undefined) return this.skip();
      const STORAGE_URL = pathToFileURL(disk.path).href;
      const world = await startFileWorld({ STORAGE_URL, STORAGE_RESERVE_MB: reserve });
      try {
        const file = await world.announce();
        const refused = await fetch(file.location, { method: 'PUT', body: unknownLength(64), duplex: 'half' });
        await assertRefused(refused, 503, 'SERVER_ERROR', message);
        await world.untouched(file);
        assert.ok((await world.api.services.fileStore.freeBytes()) > 47 * MEBIBYTE);
        const tooMuch = await world.put(file.location, Buffer.alloc(60 * MEBIBYTE));
        await assertRefused(tooMuch, 503, 'SERVER_ERROR', /this file needs 60 MiB/);
        assert.equal((await world.put(file.location, 'SKU\nA\n')).status, 200);
      } finally {
        await world.api.stop();
        disk.remove();
      }
    });
  }
});
