/** Web and worker as processes of their own, which share a database, a queue on Redis, and a bucket: no folder. */
import assert from 'node:assert/strict';
import { createClient } from '@longshore/client';
import { exportFile } from '../support/http/exporting.js';
import type { Shop } from '../support/http/shop.js';
import type { RunningProgram } from '../support/worlds/run-program.js';
import { redisIsAvailable, startTestRedis, type TestRedis } from '../support/worlds/test-redis.js';
import { skipWithoutS3, testS3 } from '../support/worlds/test-s3.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { startWorld, type World } from '../support/worlds/world.js';

const ROWS = 300;
/** With so long a text in each row, an export is longer than one part of a multipart upload. */
const LONG = 'x'.repeat(60_000);

describe('a system whose files are in S3', function () {
  this.timeout(90_000);
  let world: World;
  let shop: Shop;
  let redis: TestRedis | undefined;
  let worker: RunningProgram | undefined;

  before(async function () {
    skipWithoutS3(this);
    const s3 = await testS3();
    redis = redisIsAvailable() ? await startTestRedis() : undefined;
    const environment = {
      STORAGE_URL: s3.newPlace(),
      STORAGE_SHARED: 'no',
      RECONCILE_MS: '250',
      WORKER_CHUNK_ROWS: '100',
    };
    world = await startWorld({ redisUrl: redis?.url, environment });
    worker = await startWorkerProcess(world, environment);
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Size', type: 'INTEGER' }, 'Text'],
      categories: { Disk: ['Title', 'Size', 'Text'] },
    });
  });
  after(async () => {
    await worker?.stop('SIGTERM');
    await world?.stop();
    await redis?.stop();
  });

  const lines = (attributesOf: (index: number) => unknown) =>
    Array.from({ length: ROWS }, (_, index) =>
      JSON.stringify({ sku: `I-${index}`, nodeName: 'Disk', attributes: attributesOf(index) }),
    ).join('\n');

  it('imports a file in chunks, reports its errors in a file, and imports that when it is corrected', async () => {
    const rows = lines((index) => ({ Title: `Item ${index}`, Size: index === 7 ? 'many' : index }));
    const outcome = await shop.importFile('items.jsonl', rows);
    assert.deepEqual([outcome.status, outcome.created, outcome.failed], ['COMPLETED_PARTIALLY', ROWS - 1, 1]);
    const { name, bytes } = await shop.download(outcome.errorFile ?? '');
    const again = await shop.importFile(name, bytes.toString().replace('"many"', '7'));
    assert.deepEqual([again.status, again.created], ['COMPLETED', 1]);
    assert.equal((await shop.items()).length, ROWS);
  });

  it('is told of an upload by the client, which sends it to the store', async () => {
    const { url: baseUrl } = world.api;
    const { account, token } = shop;
    const requests: string[] = [];
    const client = createClient({
      ...{ baseUrl, token, site: { account } },
      fetch: (input, init) => {
        requests.push(`${init?.method} ${new URL(String(input)).pathname}`);
        return fetch(input, init);
      },
    });
    const rows = lines((index) => ({ Title: `Told ${index}` }));
    const { file, outcome } = await client.importFile(rows, { fileName: 'told.jsonl', options: { mode: 'upsert' } });
    assert.equal(outcome, 'applied');
    assert.notEqual(new URL(file.location).origin, new URL(baseUrl).origin);
    assert.deepEqual(
      requests.filter((request) => request.startsWith('POST')),
      ['POST /files/product', `POST /files/product/${file.id}/actions/complete`],
    );
  });

  it('exports what is longer than one part of a multipart upload, and imports that', async () => {
    const outcome = await shop.importFile(
      'texts.jsonl',
      lines(() => ({ Text: LONG })),
    );
    assert.deepEqual([outcome.status, outcome.updated], ['COMPLETED', ROWS], outcome.message);
    const exported = await exportFile(shop);
    assert.ok(exported.bytes.length > 2 * 8 * 1024 * 1024);
    assert.equal(exported.text.split(LONG).length, ROWS + 1);
    const repeated = await shop.importFile(exported.name, exported.bytes);
    assert.deepEqual([repeated.status, repeated.unchanged], ['COMPLETED', ROWS], repeated.message);
  });
});
