/** A job that has ended is repeated by a new one: what it has not applied, unless something newer is there. */

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { retryJob } from '../../../src/domain/jobs/retry-job.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { FAULT, installFaults } from '../../support/faults/faults.js';
import { startReceiver } from '../../support/http/receiver.js';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { workbookOf } from '../../support/models/written-workbook.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const counts = ({ created, updated, unchanged, failed }: Outcome) => ({ created, updated, unchanged, failed });
const ALL_APPLIED = 'the job has applied all its rows; to apply them again, send them again';
/** The next failure is the last one. */
const LAST_ATTEMPT = 7;
const WITHOUT_WAIT = { headers: { prefer: 'respond-async' } };

describe('retrying a job', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Stock', type: 'INTEGER' }],
      categories: { Hats: ['Title', 'Stock'] },
    });
  });

  const item = (sku: string, attributes: Record<string, unknown> = {}) => ({ sku, nodeName: 'Hats', attributes });
  const retry = (jobId: string, body?: object, headers = {}) =>
    shop.call('POST', `/jobs/${jobId}/actions/retry`, { ...(body === undefined ? {} : { body }), headers });
  const retried = async (jobId: string, body?: object): Promise<Outcome> => {
    const answer = await retry(jobId, body);
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual({ ...answer.body, jobId: '' }, { jobId: '', status: 'SCHEDULED', retryOf: jobId });
    assert.equal(answer.headers.get('location'), `/jobs/${answer.body.jobId}`);
    return shop.outcome(answer.body.jobId);
  };
  const remove = (skus: string[]) =>
    shop.call('POST', '/api-product/v1/product/bulk/delete', { body: { skus }, headers: { prefer: 'wait=20' } });
  const job = (id: string) => shop.ask('GET', `/jobs/${id}`);

  it('repeats the rows of a request that failed, after the catalog was corrected', async () => {
    const sent = [item('a', { Title: 'A' }), { sku: 'b', nodeName: 'Caps' }, { sku: 'c', nodeName: 'Caps' }];
    const first = (await shop.bulk('upsert', sent)).body.jobId;
    const before = await job(first);
    assert.equal(before.progressTracker.errorCount, 2);
    await shop.category('Caps');
    const again = await retried(first);
    assert.deepEqual(
      [again.status, again.total, counts(again)],
      ['COMPLETED', 2, { created: 2, updated: 0, unchanged: 0, failed: 0 }],
    );
    const { type, options } = await job(again.id);
    assert.deepEqual([type, options.retryOf, options.mode], [before.type, first, 'upsert']);
    assert.deepEqual(await job(first), before, 'the old job does not change');
    const nothing = await retry(again.id);
    assert.deepEqual([nothing.status, nothing.body.message], [409, ALL_APPLIED]);
  });

  it('repeats the failed rows of a file, which keep their numbers', async () => {
    const lines = [
      'SKU,Category Node,Title',
      'a,Hats,"two',
      'lines"',
      '',
      'b,Caps,B',
      ',,',
      'c,Hats,C',
      'd,Caps,"D, d"',
      'e,Hats,E',
    ];
    const first = await shop.importFile('items.csv', lines.join('\r\n'));
    assert.deepEqual(places(first), [
      [4, 'Category Node', 'NODE_NOT_FOUND'],
      [7, 'Category Node', 'NODE_NOT_FOUND'],
    ]);
    const still = await retried(first.id, { rows: 'failed' });
    assert.deepEqual([still.total, places(still)], [2, places(first)]);
    assert.match((await shop.download(still.errorFile ?? '')).bytes.toString(), /^d,Caps,"D, d",7,/m);
    await shop.category('Caps', ['Title']);
    const again = await retried(still.id);
    assert.deepEqual([again.total, counts(again)], [2, { created: 2, updated: 0, unchanged: 0, failed: 0 }]);
    assert.equal((await shop.values('Title')).d, 'D, d');
    const { success } = await shop.result(again.id);
    assert.deepEqual(
      success.map(({ sku }: { sku: string }) => sku),
      ['b', 'd'],
    );
    // The first job still shows its result: the file belongs to the last retry, and is kept.
    assert.equal((await shop.result(first.id)).failed.length, 2);
  });

  it('repeats files of other formats: an array of JSON, JSON lines, workbooks, and compressed ones', async () => {
    const rows = [item('a'), { sku: 'b', nodeName: 'Caps' }, item('c'), { sku: 'd', nodeName: 'Caps' }];
    const lines = rows.map((row) => JSON.stringify(row)).join('\n\n');
    const cells = rows.map(({ sku, nodeName }) => [sku, nodeName]);
    const header = ['SKU', 'Category Node'];
    const files: [string, string | Buffer][] = [
      ['items.json', JSON.stringify(rows, null, 1)],
      ['items.jsonl', lines],
      ['items.jsonl.gz', gzipSync(lines)],
      ['items.csv.gz', gzipSync([header, ...cells].map((line) => line.join(',')).join('\n'))],
      ['items.xlsx', await workbookOf(header, cells)],
    ];
    const jobs: Outcome[] = [];
    for (const [name, content] of files) jobs.push(await shop.importFile(name, content));
    for (const { failed, status } of jobs) assert.deepEqual([failed, status], [2, 'COMPLETED_PARTIALLY']);
    await shop.category('Caps');
    const outcomes = [];
    for (const { id } of jobs) outcomes.push(await retried(id, { rows: 'failed', force: true }));
    assert.deepEqual(
      outcomes.map(({ total, status }) => [total, status]),
      files.map(() => [2, 'COMPLETED']),
    );
    assert.deepEqual(Object.keys(await shop.values('Title')), ['a', 'b', 'c', 'd']);
  });

  it('does not overwrite an item that a later job has changed or deleted, unless it is told to', async () => {
    await shop.bulk(
      'insert',
      ['a', 'b', 'c', 'd'].map((sku) => item(sku, { Title: 'first' })),
    );
    const old = ['a', 'b', 'c', 'd'].map((sku) => item(sku, { Title: 'old', Size: '1' }));
    const first = (await shop.bulk('upsert', old)).body.jobId;
    assert.equal((await job(first)).progressTracker.errorCount, 4);
    await shop.bulk('upsert', [item('a', { Title: 'newer' })]);
    await remove(['b']);
    // The status of c and d is recomputed: that changes no value.
    await shop.bulkAttributes([{ name: 'Size', type: 'TEXT' }]);
    await shop.category('Hats', ['Size']);
    const again = await retried(first);
    assert.deepEqual(places(again), [
      [1, null, 'ROW_SUPERSEDED'],
      [2, null, 'ROW_SUPERSEDED'],
    ]);
    assert.match(
      again.errors[0]?.message ?? '',
      new RegExp(`was changed at .* after job ${first} had ended.*"force": true`),
    );
    assert.match(again.errors[1]?.message ?? '', /was deleted at/);
    assert.deepEqual(await shop.values('Title'), { a: 'newer', c: 'old', d: 'old' });
    const still = await retried(again.id);
    assert.deepEqual(places(still).length, 2, 'the rows are as old as they were');
    const forced = await retried(still.id, { force: true });
    assert.deepEqual(counts(forced), { created: 1, updated: 1, unchanged: 0, failed: 0 });
    assert.deepEqual(await shop.values('Title'), { a: 'old', b: 'old', c: 'old', d: 'old' });
  });

  it('does not delete what was written again since then', async () => {
    await shop.bulk('insert', [item('p'), { ...item('v'), parentSku: 'p' }]);
    const first = (await remove(['p', 'x'])).body.jobId;
    await remove(['v']);
    await shop.bulk('insert', [item('x')]);
    const again = await retried(first);
    assert.deepEqual(places(again), [[2, null, 'ROW_SUPERSEDED']]);
    assert.deepEqual(
      (await shop.items()).map(({ sku }) => sku),
      ['x'],
    );
  });

  it('does not overwrite an attribute or a category that was changed later, unless it is told to', async () => {
    const updates = ['Size', 'Brand'].map((name) => ({ name, type: 'TEXT', description: 'old', action: 'UPDATE' }));
    const attributes = (await shop.bulkAttributes(updates)).body.jobId;
    const itemAttributes = [{ name: 'Size', mandatory: false }];
    const tree = ['Shoes', 'Boots'].map((name) => ({ name, parentNodeName: 'Hats', itemAttributes }));
    const categories = (await shop.bulkCategories(tree)).body.jobId;
    const failed = async (id: string) => (await job(id)).progressTracker.errorCount;
    assert.deepEqual([await failed(attributes), await failed(categories)], [2, 2]);
    await shop.bulkAttributes([{ name: 'Size', type: 'TEXT', description: 'new' }]);
    await shop.category('Hats->Shoes');
    const again = await retried(attributes);
    assert.deepEqual(
      again.errors.map(({ row, code }) => [row, code]),
      [
        [1, 'ROW_SUPERSEDED'],
        [2, 'ATTRIBUTE_NOT_FOUND'],
      ],
    );
    assert.match(
      again.errors[0]?.message ?? '',
      new RegExp(`^the attribute was changed at .* after job ${attributes}`),
    );
    const grown = await retried(categories);
    assert.deepEqual(places(grown), [[1, null, 'ROW_SUPERSEDED']]);
    assert.match(grown.errors[0]?.message ?? '', /^the category was changed at /);
    const forced = await retried(grown.id, { force: true });
    assert.deepEqual([forced.status, forced.updated], ['COMPLETED', 1]);
  });

  it('belongs to the trace of the request that asked for it', async () => {
    const trace = 'abcdefabcdefabcdefabcdefabcdefab';
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const failing = [{ sku: 'b', nodeName: 'Caps' }];
    const ofRows = (await shop.bulk('upsert', failing)).body.jobId;
    const ofFile = (await shop.importFile('items.csv', 'SKU,Category Node\nb,Caps\n')).id;
    const path = '/jobs/product/actions/export';
    const ofExport = (await shop.call('POST', path, { body: { skus: ['a'] }, headers: { prefer: 'wait=20' } })).body;
    for (const id of [ofRows, ofFile, ofExport.jobId ?? ofExport.id]) {
      const { body } = await retry(id, {}, headers);
      const { traceparent } = await world.db('job').where({ id: body.jobId }).first('traceparent');
      assert.equal(traceparent?.split('-')[1], trace);
      await untilEnded(shop, body.jobId);
    }
  });

  it('replays webhooks again', async () => {
    const receiver = await startReceiver();
    try {
      const body = webhookBody({ target: receiver.url });
      const { webhookId } = await shop.ask('POST', '/api/v2/webhook', { body });
      const received = (count: number) => until(`${count} requests`, () => receiver.received.length === count, 10_000);
      const event = { source: 'OMS', event: 'ORDER_CREATED', payload: { id: 1 } };
      await shop.post('/api/v2/event', event, { headers: { 'tenant-key': shop.account } });
      await received(1);
      const range = { since: '2026-01-01T00:00:00Z', webhookId, outcomes: ['DELIVERED'] };
      const delivered = () => world.db('delivery').where({ definition_id: webhookId, status: 'DELIVERED' });
      await until('it is recorded', async () => (await delivered()).length === 1, 10_000);
      const { jobId } = (await shop.post('/api/v2/webhook/retry', range)).body;
      await received(2);
      assert.equal((await untilEnded(shop, jobId)).progressTracker.updatedCount, 1);
      await until('it is recorded again', async () => (await delivered()).length === 1, 10_000);
      const again = await retry(jobId);
      assert.equal(again.status, 202, again.text);
      assert.equal((await untilEnded(shop, again.body.jobId)).progressTracker.updatedCount, 1);
      await received(3);
      assert.equal((await job(again.body.jobId)).options.retryOf, jobId);
    } finally {
      await receiver.stop();
    }
  });

  it('applies what a cancelled or rejected job has not applied', async () => {
    const file = ['SKU,Category Node,Size', 'a,Hats,1', 'b,Hats,2'].join('\n');
    const rejected = await shop.importFile('items.csv', file);
    assert.equal(rejected.status, 'REJECTED');
    await shop.bulkAttributes([{ name: 'Size', type: 'TEXT' }]);
    await shop.category('Hats', ['Size']);
    const again = await retried(rejected.id);
    assert.deepEqual(counts(again), { created: 2, updated: 0, unchanged: 0, failed: 0 });
    const [input] = await world.db('file').where({ id: (await job(again.id)).inputFileId });
    assert.deepEqual([input.job_id, input.expires_at], [again.id, null], 'the file is kept as long as the retry');
    // All or nothing: one row failed, so none was applied, and all are tried again.
    const aborted = await shop.bulk('upsert', [item('c'), { sku: 'd', nodeName: 'Caps' }], {
      query: 'onError=abort',
    });
    await shop.category('Caps');
    assert.deepEqual(counts(await retried(aborted.body.jobId)), { created: 2, updated: 0, unchanged: 0, failed: 0 });
  });

  it('repeats the rows that a job never came to', async () => {
    const jobId = await shop.upload(
      'items.csv',
      ['SKU,Category Node', ...Array.from({ length: 900 }, (_, i) => `s${i},Hats`)].join('\n'),
    );
    await shop.call('POST', `/jobs/${jobId}/actions/cancel`);
    const cancelled = await shop.outcome(jobId);
    assert.equal(cancelled.status, 'CANCELLED');
    const again = await retried(jobId);
    assert.equal(again.status, 'COMPLETED', JSON.stringify(again));
    assert.equal((await shop.items()).length, 900);
    assert.equal(again.created, 900 - cancelled.created);
  });

  it('requests an export again', async () => {
    await shop.bulk('insert', [item('a')]);
    const path = '/jobs/product/actions/export';
    const first = await shop.call('POST', path, { body: { skus: ['a', 'b'] }, headers: { prefer: 'wait=20' } });
    await shop.bulk('insert', [item('b')]);
    const again = await retry(first.body.jobId, {}, { prefer: 'wait=20' });
    assert.deepEqual(
      [again.status, again.body.status, again.body.options.retryOf],
      [200, 'COMPLETED', first.body.jobId],
    );
    assert.equal(again.body.progressTracker.totalCount, 2);
    assert.match((await shop.download(again.body.outputFiles[0])).bytes.toString(), /^b,|,b,|b/m);
    assert.match((await retry(first.body.jobId, { rows: 'failed' })).body.message, /has no rows that can fail/);
  });

  it('refuses what cannot be retried, and says why', async () => {
    const { jobId } = await shop.ask('POST', '/files/product', {
      body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT' },
    });
    const open = await retry(jobId);
    assert.equal(open.status, 409);
    assert.match(open.body.message, /^the job is AWAITING_UPLOAD: it can be retried when it has ended/);
    await shop.call('POST', `/jobs/${jobId}/actions/cancel`);
    const neverUploaded = await retry(jobId);
    assert.equal(neverUploaded.status, 410);
    assert.match(neverUploaded.body.message, /announce it and upload it again/);
    const done = (await shop.bulk('upsert', [item('a')])).body.jobId;
    for (const body of [undefined, { rows: 'failed' }]) assert.equal((await retry(done, body)).status, 409);
    assert.equal((await retry(done, { rows: 'some' })).status, 400);
    assert.equal((await retry('f'.repeat(24))).status, 404);
    const other = await world.newShop();
    assert.equal((await other.post(`/jobs/${done}/actions/retry`, {})).status, 404);
  });

  it('makes one job for each Idempotency-Key', async () => {
    const first = (await shop.bulk('upsert', [item('a'), { sku: 'b', nodeName: 'Caps' }])).body.jobId;
    const key = { 'idempotency-key': 'once' };
    const answers = await Promise.all([retry(first, {}, key), retry(first, {}, key)]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal((await retry(first, { force: true }, key)).status, 422);
    const [acts] = await world
      .db('audit_entry')
      .where({ account_id: shop.account, action: 'JOB_RETRIED', result: 'DONE' })
      .count();
    assert.equal(Number(acts?.count), 1);
  });

  it('is what the failed list of the dashboard offers for a job that failed permanently', async () => {
    await installFaults(world.db);
    const { jobId, outboxEntries } = await world.acceptRows(shop, 'upsert', [item(`${FAULT.fail}1`)]);
    await world.db('job').where({ id: jobId }).update({ attempts: LAST_ATTEMPT });
    const { producer, logger } = world.services;
    await enqueueEntries(producer, outboxEntries, logger);
    assert.equal((await shop.outcome(jobId)).status, 'FAILED');
    const queue = producer.queues().find(({ name }) => name === 'plan-job');
    const failed = () => queue?.getFailed().then((all) => all.find(({ data }) => data.jobId === jobId));
    await until('its queue job is listed as failed', async () => (await failed()) !== undefined, 10_000);
    assert.match(
      (await failed())?.failedReason ?? '',
      new RegExp(`^job ${jobId} has failed permanently: .*/actions/retry`),
    );
  });

  it('serves operators, who name jobs of any account', async () => {
    const { body } = await shop.bulk('upsert', [{ sku: 'b', nodeName: 'Caps' }], WITHOUT_WAIT);
    await shop.outcome(body.jobId);
    await shop.category('Caps');
    const id = newId();
    const { db, producer, logger } = world.services;
    const repeated = await db.transaction((trx) =>
      retryJob(trx, JOB_TYPES, body.jobId, {
        id,
        requestId: null,
        traceparent: null,
        actor: null,
        rows: 'all',
        force: false,
      }),
    );
    assert.deepEqual([repeated.accountId, repeated.siteId], [shop.account, shop.siteId]);
    await enqueueEntries(producer, repeated.outboxEntries, logger);
    assert.equal((await shop.outcome(id)).created, 1);
  });
});
