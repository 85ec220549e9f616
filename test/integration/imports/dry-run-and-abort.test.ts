/** Requests that write nothing: dry runs, and those that one bad row takes down. */
import assert from 'node:assert/strict';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const GOOD = { sku: 'new', nodeName: 'Disk', attributes: { Title: 'N' } };
const CHANGE = { sku: 'old', attributes: { Title: 'changed' } };
const SAME = { sku: 'same', attributes: { Title: 'S' } };
const BAD = { sku: 'bad', nodeName: 'Nowhere' };
const VARIANT = { sku: 'variant', nodeName: 'Disk', parentSku: 'new' };

describe('a request that writes nothing', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await shop.bulk('insert', [
      { sku: 'old', nodeName: 'Disk', attributes: { Title: 'O' } },
      { sku: 'same', nodeName: 'Disk', attributes: { Title: 'S' } },
    ]);
  });
  const titles = () => shop.values('Title');
  const messages = ({ body }: Answer) => body.success.map(({ message }: { message: string }) => message);
  const jobOf = async ({ body }: Answer) => shop.outcome(body.jobId);
  const latestJob = async () => (await shop.ask('GET', '/jobs/product?limit=1')).data[0];

  it('a dry run answers as the real one would, and nothing is there afterwards', async () => {
    const elements = [GOOD, CHANGE, SAME, BAD, VARIANT];
    const dry = await shop.bulk('upsert', elements, { query: 'validateOnly=true' });
    assert.equal(dry.status, 200);
    assert.deepEqual(messages(dry), ['created', 'updated', 'unchanged', 'created']);
    assert.deepEqual(await titles(), { old: 'O', same: 'S' });
    const job = await jobOf(dry);
    assert.equal(job.status, 'COMPLETED');
    assert.match(job.message, /dry run/);
    assert.deepEqual([job.created, job.updated, job.unchanged, job.failed], [2, 1, 1, 1]);
    assert.equal(dry.body.success[0].itemId, null);

    const real = await shop.bulk('upsert', elements);
    assert.deepEqual(messages(real), messages(dry));
    assert.deepEqual(real.body.failed, dry.body.failed);
    assert.deepEqual(await titles(), { new: 'N', old: 'changed', same: 'S', variant: undefined });
  });

  it('a dry run in which every row fails answers 422', async () => {
    const { status, body, headers } = await shop.bulk('upsert', [BAD], { query: 'validateOnly=true' });
    assert.deepEqual([status, body.code, body.errors[0].code], [422, 'STATUS_ERROR', 'NODE_NOT_FOUND']);
    // The job can be found again, as after any other answer.
    assert.equal(headers.get('location'), `/jobs/${body.jobId}`);
    assert.equal((await shop.outcome(body.jobId)).failed, 1);
  });

  it('a dry run of attributes leaves them as they are', async () => {
    const path = '/api-product/v1/product/attribute/bulk?validateOnly=true';
    const elements = [
      { name: 'Colour', type: 'TEXT' },
      { action: 'DELETE', name: 'Title' },
    ];
    const body = await shop.ask('POST', path, { body: elements, headers: { prefer: 'wait=20' } });
    assert.deepEqual(
      [body.attributes.success.length, body.attributes.failed[0].errors[0].code],
      [1, 'ATTRIBUTE_IN_USE'],
    );
    const { data } = await shop.ask('GET', '/api-product/v1/product/attribute');
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['Title'],
    );
  });

  it('onError=abort: one bad row, and nothing of the request is written or said to be', async () => {
    const { status, body } = await shop.bulk('upsert', [GOOD, CHANGE, BAD, VARIANT], { query: 'onError=abort' });
    assert.equal(status, 422);
    assert.equal(body.code, 'STATUS_ERROR');
    assert.deepEqual(
      body.errors.map(({ index, code }: { index: number; code: string }) => [index, code]),
      [[2, 'NODE_NOT_FOUND']],
    );
    assert.deepEqual(await titles(), { old: 'O', same: 'S' });
    const { id, status: state, reason, progressTracker } = await latestJob();
    assert.deepEqual([state, reason], ['REJECTED', 'ROWS_FAILED']);
    assert.deepEqual([progressTracker.totalCount, progressTracker.createdCount, progressTracker.errorCount], [4, 0, 1]);
    const result = await shop.result(id);
    assert.deepEqual(result.success, []);
    assert.deepEqual(
      result.failed.map(({ index, code }: { index: number; code: string }) => [index, code]),
      [
        [0, 'NOT_APPLIED'],
        [1, 'NOT_APPLIED'],
        [2, 'NODE_NOT_FOUND'],
        [3, 'NOT_APPLIED'],
      ],
    );
    assert.deepEqual(result.itemIds, []);
  });

  it('onError=abort: attributes and categories that are right say why they were not written', async () => {
    const send = (path: string, body: readonly object[]) =>
      shop.ask('POST', `${path}?onError=abort`, { body, headers: { prefer: 'wait=20' } });
    const codes = (failed: readonly { errors: readonly { code: string; message: string }[] }[]) =>
      failed.map(({ errors }) => errors.map(({ code, message }) => `${code}: ${message}`)[0]);
    const { attributes } = await send('/api-product/v1/product/attribute/bulk', [
      { name: 'Colour', type: 'TEXT' },
      { name: 'Size', type: 'NOTHING' },
    ]);
    assert.deepEqual(attributes.success, []);
    assert.match(
      codes(attributes.failed).join('\n'),
      /^NOT_APPLIED: it was not written, because others failed .*\nFIELD_INVALID: type must be/,
    );
    const { categories } = await send('/api-category/v1/category/bulk/upsert', [
      { path: 'New' },
      { path: 'A', bad: 1 },
    ]);
    assert.match(
      codes(categories.failed).join('\n'),
      /^NOT_APPLIED: it was not written, because others failed .*\nFIELD_INVALID: bad is not/,
    );
  });

  it('onError=abort: a row that fails in the second wave takes the first one with it', async () => {
    const orphan = { ...VARIANT, parentSku: 'nobody' };
    const { status } = await shop.bulk('upsert', [GOOD, orphan], { query: 'onError=abort' });
    assert.equal(status, 422);
    assert.deepEqual(await titles(), { old: 'O', same: 'S' });
  });

  it('onError=abort: a duplicate counts as a row that failed', async () => {
    const { status } = await shop.bulk('upsert', [GOOD, GOOD], { query: 'onError=abort' });
    assert.equal(status, 422);
    assert.equal(await shop.item('new'), undefined);
  });

  it('onError=abort: without a bad row everything is written', async () => {
    const answer = await shop.bulk('upsert', [GOOD, CHANGE, SAME, VARIANT], { query: 'onError=abort' });
    assert.deepEqual(messages(answer), ['created', 'updated', 'unchanged', 'created']);
    assert.equal((await jobOf(answer)).status, 'COMPLETED');
  });

  it('both at once: the report of a dry run', async () => {
    const answer = await shop.bulk('upsert', [GOOD, BAD], { query: 'onError=abort&validateOnly=true' });
    assert.equal(answer.status, 200);
    assert.deepEqual(await titles(), { old: 'O', same: 'S' });
    assert.equal((await jobOf(answer)).status, 'COMPLETED');
  });

  it('an unknown option or value is refused', async () => {
    for (const query of ['onError=stop', 'validateOnly=yes', 'onerror=abort']) {
      const { status, body } = await shop.bulk('upsert', [GOOD], { query });
      assert.deepEqual([status, typeof body.message], [400, 'string'], query);
    }
  });
});
