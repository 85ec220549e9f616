/** Workers that are killed while a job is previewed, or carries out what was approved: others go on, and it is done once. */
import assert from 'node:assert/strict';
import { approveJob } from '../../../src/domain/jobs/approvals.js';
import { previewing } from '../../../src/domain/jobs/model/approval.js';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import type { Shop } from '../../support/http/shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const CSV = `SKU;Category Node;Title;Price;Colour
a;Bikes;Alpha;1950.27;red
b;Bikes;Beta;12.5;blue
c;Helmets;Gamma;49;red
d;Helmets;Delta;5;
x;Helmets;Wrong;cheap;
`;
const CREATING = {
  createMissing: { attributes: true, options: false, categories: true, assignments: true },
  missing: {
    attributes: [
      { name: 'Title', type: 'TEXT' },
      { name: 'Price', type: 'DECIMAL' },
      { name: 'Colour', type: 'OPTIONS', options: ['red', 'blue'] },
    ],
    options: [],
    categories: ['Bikes', 'Helmets'],
    assignments: [
      { category: 'Bikes', attributes: ['Title', 'Price', 'Colour'] },
      { category: 'Helmets', attributes: ['Title', 'Price', 'Colour'] },
    ],
  },
} as const;
/** Every so many messages to the database one is the last, lost and unanswered in turn. */
const STEP = 5;
const NEVER = { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' } as const;

describe('a worker that is killed while its job needs an approval', function () {
  this.timeout(300_000);
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.startWorkers({}, BULK_ONLY);
  });
  after(() => world.stop());

  const options = previewing({ ...CREATING, validateOnly: false, callbackUrl: 'https://example.com/ended' }, {});
  const accept = (shop: Shop) => world.acceptFile(shop, 'x.csv', CSV, 'upsert', options);
  const approve = (shop: Shop, jobId: string): Promise<OutboxEntry[]> =>
    world.db.transaction((trx) => approveJob(trx, { siteId: shop.siteId, jobId, actor: 'token:another', hours: 72 }));
  const goOn = () => reconcile({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });

  /** Kills a worker at message after message. @param ready a job of a new shop, and the steps that are due */
  async function killing(
    ready: (shop: Shop) => Promise<{ jobId: string; outboxEntries: OutboxEntry[] }>,
    state: (shop: Shop, jobId: string) => Promise<object>,
  ): Promise<object> {
    const whole = await world.newShop();
    const undisturbed = await ready(whole);
    const { messages } = await runDoomed(world.services, undisturbed.outboxEntries, NEVER);
    const expected = await state(whole, undisturbed.jobId);
    for (let at = 1, kills = 0; at <= messages; at += STEP, kills++) {
      const shop = await world.newShop();
      const { jobId, outboxEntries } = await ready(shop);
      const { cut } = await runDoomed(world.services, outboxEntries, { at, lose: kills % 2 ? 'unanswered' : 'unsent' });
      assert.ok(cut, `message ${at} was never sent`);
      await untilDoomedIsGone(world.db);
      await goOn();
      assert.deepEqual(await state(shop, jobId), expected, `killed at message ${at} of ${messages}`);
    }
    return expected;
  }

  it('leaves the preview to others, which park it once', async () => {
    const expected = await killing(accept, async (shop, jobId) => {
      const { status, reason, progressTracker } = await settled(shop, jobId);
      const { createdCount, errorCount } = progressTracker;
      const { data } = await shop.ask('GET', `/jobs/${jobId}/changes?limit=100`);
      const rows = await world.db('preview_row').where({ job_id: jobId }).orderBy('first_row').pluck('rows');
      return { status, reason, createdCount, errorCount, changes: data.length, rows, events: await events(jobId) };
    });
    assert.deepEqual(Object.values(expected).slice(0, 4), ['AWAITING_APPROVAL', null, 4, 1]);
  });

  it('leaves what was approved to others, which write it once', async () => {
    const ready = async (shop: Shop) => {
      const { jobId, outboxEntries } = await accept(shop);
      await runDoomed(world.services, outboxEntries, NEVER);
      return { jobId, outboxEntries: await approve(shop, jobId) };
    };
    const expected = await killing(ready, async (shop, jobId) => {
      const { status, reason, created, failed, errors } = await shop.outcome(jobId);
      const { data } = await shop.ask('GET', `/jobs/${jobId}/changes?limit=100`);
      const attributes = await world.db('attribute').where({ site_id: shop.siteId }).orderBy('name').pluck('name');
      const items = (await shop.items()).map(({ sku }) => sku);
      const codes = errors.map(({ code }) => code);
      return {
        status,
        reason,
        created,
        failed,
        codes,
        changes: data.length,
        attributes,
        items,
        e: await events(jobId),
      };
    });
    assert.deepEqual(Object.values(expected).slice(0, 4), ['COMPLETED_PARTIALLY', null, 4, 1]);
  });

  const SOME = 'SKU,Category Node,Title\na,A,1\nb,A,2\nc,A,3\nd,A,4\n';
  const FEWER = 'SKU,Category Node,Title\na,A,changed\nb,A,2\nn,A,new\n';

  /** A file that lacks two of four items: its rows are applied, and somebody has to approve what goes. */
  const acceptFewer = async (shop: Shop) => {
    await shop.define({ attributes: ['Title'], categories: { A: ['Title'] } });
    await shop.importFile('some.csv', SOME);
    const snapshot = { scope: 'stage', missing: 'delete', maxMissingPercent: 5, onBrake: 'approve' } as const;
    return world.acceptFile(shop, 'x.csv', FEWER, 'upsert', { onError: 'skip', snapshot });
  };

  /** What the job has become, what it has changed or would change, and what is kept for it. */
  async function removing(shop: Shop, jobId: string) {
    const { status, reason, statusMessage, progressTracker, removal } = await settled(shop, jobId);
    const { data } = await shop.ask('GET', `/jobs/${jobId}/changes?limit=100`);
    const { createdCount, updatedCount, unchangedCount, errorCount } = progressTracker;
    const left = [];
    for (const table of ['snapshot_sku', 'preview_row'])
      left.push((await world.db(table).where({ job_id: jobId })).length);
    return {
      ...{ status, reason, removal, counts: [createdCount, updatedCount, unchangedCount, errorCount], left },
      statusMessage: statusMessage.replaceAll(jobId, 'JOB'),
      changes: data.map(({ sku, operation }: { sku: string; operation: string }) => `${operation} ${sku}`).sort(),
      values: await shop.values('Title'),
      rows: (await world.db('item_change').where({ site_id: shop.siteId }).orderBy('sku')).map(({ sku }) => sku),
    };
  }

  it('leaves removals that wait alone to others, which park them once, behind the rows', async () => {
    const { status, changes, values } = (await killing(acceptFewer, removing)) as Awaited<ReturnType<typeof removing>>;
    assert.deepEqual([status, changes], ['AWAITING_APPROVAL', ['DELETED c', 'DELETED d']]);
    assert.deepEqual(values, { a: 'changed', b: '2', c: '3', d: '4', n: 'new' });
  });

  it('leaves removals that were approved to others, which remove once', async () => {
    const ready = async (shop: Shop) => {
      const { jobId, outboxEntries } = await acceptFewer(shop);
      await runDoomed(world.services, outboxEntries, NEVER);
      return { jobId, outboxEntries: await approve(shop, jobId) };
    };
    const { status, changes, values, left } = (await killing(ready, removing)) as Awaited<ReturnType<typeof removing>>;
    assert.deepEqual([status, changes], ['COMPLETED', ['CREATED n', 'DELETED c', 'DELETED d', 'UPDATED a']]);
    assert.deepEqual([values, left], [{ a: 'changed', b: '2', n: 'new' }, [0, 0]]);
  });

  /** The job when it has ended, or waits for an approval. */
  async function settled(shop: Shop, jobId: string) {
    const wait = { headers: { prefer: 'wait=25' } };
    let job = await shop.ask('GET', `/jobs/${jobId}`, wait);
    if (job.completedAt === null && job.status !== 'AWAITING_APPROVAL')
      job = await shop.ask('GET', `/jobs/${jobId}`, wait);
    return job;
  }

  /** The events that were emitted of a job. */
  const events = (jobId: string): Promise<string[]> =>
    world.db('event').whereRaw("payload::jsonb ->> 'jobId' = ?", [jobId]).orderBy('event').pluck('event');
});
