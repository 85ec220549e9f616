import assert from 'node:assert/strict';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { endJob } from '../../../src/domain/jobs/end-job.js';
import { followEnd } from '../../../src/domain/jobs/follow-end.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { housekeep } from '../../../src/workers/maintenance/housekeep.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const ROWS = [{ sku: 'A', nodeName: 'Shelf', attributes: { Title: 'One' } }];

describe("the events of a job's end", function () {
  this.timeout(30_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ files: 'in a folder' });
    await world.startWorkers({}, BULK_ONLY);
  });
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title!'] } });
    await world.db('event').where({ site_id: shop.siteId }).delete();
  });
  after(() => world.stop());

  const hear = (events: readonly string[] = ['JOB_COMPLETED', 'JOB_FAILED']): Promise<{ webhookId: string }> =>
    shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ source: 'CATALOG', events }) });

  /** Of the shop, with how many deliveries each has. */
  async function told() {
    const events = await world.db('event').where({ site_id: shop.siteId }).orderBy('event');
    return Promise.all(
      events.map(async ({ id, event, payload, source }) => ({
        event,
        source,
        payload: JSON.parse(payload),
        deliveries: await world.db('delivery').where({ event_id: id }),
      })),
    );
  }

  it('are none where nobody listens', async () => {
    await hear(['ITEM_CREATED']);
    await shop.bulk('insert', ROWS);
    assert.deepEqual(
      (await told()).filter(({ event }) => event.startsWith('JOB_')),
      [],
    );
  });

  it('tell what GET /jobs/{id} tells, for a request and for a file', async () => {
    const { webhookId } = await hear();
    const { jobId } = (await shop.bulk('insert', ROWS)).body;
    const imported = await shop.importFile('a.csv', 'Category Node,SKU,Title\nShelf,B,Two\nNowhere,C,Three\n');
    const events = await told();
    assert.deepEqual(
      events.map(({ event, source }) => [source, event]),
      [
        ['CATALOG', 'JOB_COMPLETED'],
        ['CATALOG', 'JOB_COMPLETED'],
      ],
    );
    for (const id of [jobId, imported.id]) {
      // Only the API reads these four.
      const { outcome, inputFileName, submittedBy, decision, ...job } = await shop.ask('GET', `/jobs/${id}`);
      assert.deepEqual([submittedBy.name, decision], ['test', null]);
      assert.deepEqual([outcome, inputFileName], id === jobId ? ['NONE_FAILED', null] : ['SOME_FAILED', 'a.csv']);
      const { payload, deliveries } = events.find((event) => event.payload.jobId === id) ?? assert.fail(id);
      assert.deepEqual(payload, { jobId: id, ...job });
      assert.deepEqual(
        deliveries.map(({ definition_id }) => definition_id),
        [webhookId],
      );
    }
  });

  it('tell of a job whose options alone are larger than a payload may be', async () => {
    await hear();
    const long = 'x'.repeat(255);
    await shop.bulkAttributes([{ name: long, type: 'TEXT' }]);
    const snapshot = { scope: 'stage', missing: { clear: Array(1_200).fill(long) } };
    const job = await shop.importFile('a.csv', 'Category Node,SKU,Title\nShelf,B,Two\nNowhere,C,Three\n', { snapshot });
    assert.equal(job.status, 'COMPLETED_PARTIALLY');
    const { errorSummary } = await shop.ask('GET', `/jobs/${job.id}`);
    const event = (await told()).find(({ payload }) => payload.jobId === job.id);
    assert.deepEqual([event?.event, event?.payload.options], ['JOB_COMPLETED', {}]);
    assert.equal(errorSummary.length, 1);
    assert.deepEqual(event?.payload.errorSummary, errorSummary, 'the errors are not long');
  });

  it('say JOB_AWAITING_APPROVAL when it waits for one, and how it ended when somebody has decided', async () => {
    const { webhookId } = await hear(['JOB_AWAITING_APPROVAL', 'JOB_COMPLETED', 'JOB_FAILED']);
    const { jobId } = (await shop.bulk('insert', ROWS, { query: 'requireApproval=true' })).body;
    const waiting = async () => (await told()).filter(({ payload }) => payload.jobId === jobId);
    const [event, ...others] = await waiting();
    assert.deepEqual([event?.event, others], ['JOB_AWAITING_APPROVAL', []]);
    const {
      outcome: _,
      inputFileName: __,
      submittedBy: ___,
      decision: ____,
      ...job
    } = await shop.ask('GET', `/jobs/${jobId}`);
    assert.equal(job.status, 'AWAITING_APPROVAL');
    assert.deepEqual(event?.payload, { jobId, ...job, changesUrl: `/jobs/${jobId}/changes` });
    assert.equal((await shop.ask('GET', event?.payload.changesUrl)).data[0].sku, 'A');
    assert.deepEqual(
      event?.deliveries.map(({ definition_id }) => definition_id),
      [webhookId],
    );
    const small = await shop.importFile('a.csv', 'Category Node,SKU\nNowhere,C\n', { requireApproval: true });
    assert.equal(small.status, 'COMPLETED_PARTIALLY', 'it would change nothing, and need not wait');
    await shop.ask('POST', `/jobs/${jobId}/actions/reject`, { body: { note: 'not now' } });
    assert.deepEqual(
      (await told()).map(({ event, payload }) => [event, payload.status, payload.reason]),
      [
        ['JOB_AWAITING_APPROVAL', 'AWAITING_APPROVAL', null],
        ['JOB_COMPLETED', 'COMPLETED_PARTIALLY', null],
        ['JOB_FAILED', 'REJECTED', 'NOT_APPROVED'],
      ],
    );
  });

  it('say JOB_FAILED with the status of each other end', async () => {
    await hear();
    await shop.importFile('a.csv', '');
    const { jobId: announced } = await shop.ask('POST', '/files/product', {
      body: { fileName: 'b.csv', fileType: 'ITEM_IMPORT' },
    });
    await shop.ask('POST', `/jobs/${announced}/actions/cancel`);
    const { jobId: late } = await shop.ask('POST', '/files/product', {
      body: { fileName: 'c.csv', fileType: 'ITEM_IMPORT' },
    });
    await world
      .db('file')
      .where({ job_id: late })
      .update({ expires_at: new Date(0) });
    await housekeep(world.services);
    await shop.bulk('insert', [...ROWS, { sku: 'B' }], { query: 'onError=abort' });
    const events = await told();
    assert.deepEqual(
      events.map(({ event, payload, deliveries }) => [event, payload.status, payload.reason, deliveries.length]).sort(),
      [
        ['JOB_FAILED', 'CANCELLED', null, 1],
        ['JOB_FAILED', 'EXPIRED', null, 1],
        ['JOB_FAILED', 'REJECTED', 'EMPTY_FILE', 1],
        ['JOB_FAILED', 'REJECTED', 'ROWS_FAILED', 1],
      ],
    );
  });

  it('are committed with the end, or not at all; who ends a job finds them for the queue', async () => {
    await hear();
    const { jobId } = await world.acceptRows(shop, 'insert', ROWS);
    const ends = async (trx: Parameters<typeof endJob>[0]) => {
      await trx('job').where({ id: jobId }).forUpdate().first();
      await endJob(trx, jobId, { status: 'FAILED', reason: 'INTERNAL_ERROR' });
    };
    const cut = world.db.transaction(async (trx) => {
      await ends(trx);
      throw new Error('cut off before the commit');
    });
    await assert.rejects(cut, /cut off/);
    assert.deepEqual([await told(), await followEnd(world.db, JOB_TYPES, jobId)], [[], []]);
    await world.db.transaction(ends);
    const [event] = await told();
    assert.deepEqual(
      (await followEnd(world.db, JOB_TYPES, jobId)).map(({ queue, payload }) => [queue, payload]),
      event?.deliveries.map(({ id }) => ['batch', { batch: id.slice(0, 22), account: shop.account }]),
    );
  });

  it('are one for a job that several workers hold', async () => {
    await hear();
    const { jobId, outboxEntries } = await world.acceptRows(shop, 'insert', ROWS);
    const { producer, logger } = world.services;
    await Promise.all([1, 2, 3].map(() => enqueueEntries(producer, outboxEntries, logger)));
    await untilEnded(shop, jobId);
    assert.equal((await told()).length, 1);
  });

  it("go to the job's callbackUrl too, whoever else listens; once, and not to webhooks", async () => {
    const callbackUrl = 'http://127.0.0.1:9/done';
    const body = { fileName: 'a.csv', fileType: 'ITEM_IMPORT' };
    for (const given of [
      { ...body, options: { callbackUrl } },
      { ...body, callbackUrl },
    ]) {
      const announced = await shop.ask('POST', '/files/product', { body: given });
      const { jobId } = announced;
      await shop.put(announced, 'Category Node,SKU,Title\nShelf,B,Two\n');
      await untilEnded(shop, jobId);
      const event = (await told()).find(({ payload }) => payload.jobId === jobId) ?? assert.fail();
      assert.deepEqual(
        event.deliveries.map(({ callback_url, definition_id, status }) => [callback_url, definition_id, status]),
        [[callbackUrl, null, 'PENDING']],
      );
    }
    const forbidden = await shop.call('POST', '/files/product', {
      body: { ...body, callbackUrl: 'http://10.0.0.1/' },
    });
    assert.equal(forbidden.status, 400);
    assert.match(forbidden.body.message, /^callbackUrl: blocked address/);
  });
});
