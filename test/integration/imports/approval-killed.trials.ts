/** Declares that workers which are killed while a job is previewed, or carries out what was approved, leave it to others, which do it once. */
import assert from 'node:assert/strict';
import { previewing } from '../../../src/domain/job-model/approval.js';
import { approveJob } from '../../../src/domain/jobs/approvals.js';
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
const NEVER = { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' } as const;

/** @param step every so many messages to the database one is the last, lost and unanswered in turn */
export function describeApprovalKills(step: number): void {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.startWorkers({}, BULK_ONLY);
  });
  after(() => world.stop());

  const options = previewing({ ...CREATING, validateOnly: false, callbackUrl: 'https://example.com/ended' }, {});
  const accept = (shop: Shop) => world.acceptFile(shop, 'x.csv', CSV, 'upsert', options);
  const approve = (shop: Shop, jobId: string): Promise<OutboxEntry[]> =>
    world.db.transaction((trx) =>
      approveJob(trx, { siteId: shop.siteId, jobId, actor: 'token:another', hours: 72 }, false),
    );
  const goOn = () => reconcile({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });

  /** Kills a worker at message after message. @param ready a job of a new shop, and the steps that are due */
  async function killing(
    ready: (shop: Shop) => Promise<{ jobId: string; outboxEntries: OutboxEntry[] }>,
    state: (shop: Shop, jobId: string) => Promise<object>,
    stride = step,
  ): Promise<object> {
    const whole = await world.newShop();
    const undisturbed = await ready(whole);
    const { messages } = await runDoomed(world.services, undisturbed.outboxEntries, NEVER);
    const expected = await state(whole, undisturbed.jobId);
    for (let at = 1, kills = 0; at <= messages; at += stride, kills++) {
      const shop = await world.newShop();
      const { jobId, outboxEntries } = await ready(shop);
      const { cut } = await runDoomed(world.services, outboxEntries, { at, lose: kills % 2 ? 'unanswered' : 'unsent' });
      assert.ok(cut, `message ${at} was never sent`);
      await untilDoomedIsGone(world.db);
      await goOn();
      assert.deepEqual(await state(shop, jobId), expected, `killed at message ${at} of ${messages}`);
      // Nobody delivers them, and the queue would be asked for each of them from now on.
      await world.db('event').delete();
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
  const acceptFewer = async (shop: Shop, over: Parameters<World['acceptFile']>[4] = {}) => {
    await shop.define({ attributes: ['Title'], categories: { A: ['Title'] } });
    await shop.importFile('some.csv', SOME);
    const snapshot = { scope: 'stage', missing: 'delete', maxMissingPercent: 5, onBrake: 'approve' } as const;
    return world.acceptFile(shop, 'x.csv', FEWER, 'upsert', { onError: 'skip', snapshot, ...over });
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

  type Removing = Awaited<ReturnType<typeof removing>>;

  it('leaves removals that wait alone to others, which park them once, behind the rows', async () => {
    const { status, changes, values } = (await killing((shop) => acceptFewer(shop), removing)) as Removing;
    assert.deepEqual([status, changes], ['AWAITING_APPROVAL', ['DELETED c', 'DELETED d']]);
    assert.deepEqual(values, { a: 'changed', b: '2', c: '3', d: '4', n: 'new' });
  });

  it('leaves removals that were approved to others, which remove once', async () => {
    const ready = async (shop: Shop) => {
      const { jobId, outboxEntries } = await acceptFewer(shop);
      await runDoomed(world.services, outboxEntries, NEVER);
      return { jobId, outboxEntries: await approve(shop, jobId) };
    };
    const { status, changes, values, left } = (await killing(ready, removing)) as Removing;
    assert.deepEqual([status, changes], ['COMPLETED', ['CREATED n', 'DELETED c', 'DELETED d', 'UPDATED a']]);
    assert.deepEqual([values, left], [{ a: 'changed', b: '2', n: 'new' }, [0, 0]]);
  });

  it('leaves the end of removals that a newer file supersedes to others, which write it once with its own', async () => {
    const olders = new Map<string, string>();
    const ready = async (shop: Shop) => {
      const older = await acceptFewer(shop, { callbackUrl: 'https://example.com/ended' });
      await runDoomed(world.services, older.outboxEntries, NEVER);
      olders.set(shop.token, older.jobId);
      const snapshot = { scope: 'stage', missing: 'delete', maxMissingPercent: 100 } as const;
      return world.acceptFile(shop, 'y.csv', 'SKU,Category Node,Title\na,A,newest\nc,A,3\n', 'upsert', { snapshot });
    };
    const { older, newer, told } = (await killing(
      ready,
      async (shop, jobId) => {
        const id = olders.get(shop.token) ?? '';
        const named = (text: object) =>
          JSON.parse(JSON.stringify(text).replaceAll(jobId, 'NEWER').replaceAll(id, 'OLDER'));
        const done = named(await removing(shop, jobId));
        return { newer: done, older: named(await removing(shop, id)), told: await events(id) };
      },
      2 * step - 1,
    )) as { older: Removing; newer: Removing; told: string[] };
    assert.deepEqual([newer.status, newer.values, newer.left], ['COMPLETED', { a: 'newest', c: '3' }, [0, 0]]);
    assert.deepEqual([older.status, older.reason, older.left], ['COMPLETED_PARTIALLY', 'SNAPSHOT_BRAKE', [0, 0]]);
    assert.deepEqual([older.removal.supersededBy, newer.removal.supersedes], ['NEWER', ['OLDER']]);
    assert.deepEqual(told, ['JOB_AWAITING_APPROVAL', 'JOB_COMPLETED']);
  });

  it('keeps nothing for removals of a job that is cancelled before it has parked them', async () => {
    const shop = await world.newShop();
    const { jobId, outboxEntries } = await acceptFewer(shop);
    await runDoomed(world.services, outboxEntries, NEVER);
    // As it was before its last step.
    await world
      .db('job')
      .where({ id: jobId })
      .update({ status: 'IN_PROGRESS', step: 'finish', dispatched_at: new Date(0) });
    await shop.ask('POST', `/jobs/${jobId}/actions/cancel`);
    await goOn();
    const { status, removal, left, values } = await removing(shop, jobId);
    assert.deepEqual([status, left], ['CANCELLED', [0, 0]]);
    assert.deepEqual(removal, { inScope: 5, missing: 2, removed: 0, kept: 0, stopped: true });
    assert.deepEqual(Object.keys(values), ['a', 'b', 'c', 'd', 'n']);
  });

  it('takes no step of an earlier place for one of removals that were approved', async () => {
    const shop = await world.newShop();
    const snapshot = { scope: 'stage', missing: 'delete', maxMissingPercent: 50, onBrake: 'approve' } as const;
    // Its preview goes on by itself. What comes between them makes the brake hold.
    const rule = previewing({ onError: 'skip', validateOnly: false, snapshot } as const, { above: { items: 100 } });
    const { jobId, outboxEntries } = await acceptFewer(shop, rule);
    const more = Array.from({ length: 10 }, (_, nth) => `more${nth},A,1`).join('\n');
    const between = await world.acceptFile(shop, 'more.csv', `SKU,Category Node,Title\n${more}\n`);
    await runDoomed(world.services, [...outboxEntries, ...between.outboxEntries], NEVER);
    await goOn();
    assert.equal((await settled(shop, jobId)).removal.waits, true);
    const [{ dispatch }] = await world.db('job_order').where({ job_id: jobId }).orderBy('position', 'desc').limit(1);
    assert.ok(dispatch > 1, 'it had a second place');

    const approved = await approve(shop, jobId);
    const before = await shop.values('Title');
    for (const late of [1, dispatch, dispatch + 1]) {
      await runDoomed(world.services, [{ queue: 'plan', payload: { jobId, dispatch: late } }], NEVER);
      assert.equal((await shop.ask('GET', `/jobs/${jobId}`)).status, 'SCHEDULED', `token ${late}`);
    }
    assert.deepEqual(await shop.values('Title'), before);
    await runDoomed(world.services, approved, NEVER);
    assert.deepEqual(
      [(await settled(shop, jobId)).removal.removed, Object.keys(await shop.values('Title'))],
      [12, ['a', 'b', 'n']],
    );
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
}
