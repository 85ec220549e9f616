/** Declares that random jobs of items, one after another, end as a small model of the documentation says. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { crashJob } from '../../support/faults/crash-job.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { CatalogOracle, type Prediction } from '../../support/models/catalog-oracle.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import {
  catalogOf,
  type Deletion,
  defineAlternates,
  deletion,
  elementsOf,
  fileOf,
  type ItemJob,
  itemJob,
  rowNumber,
  rulesOf,
} from '../../support/models/item-jobs.js';
import { assertClaimsHold, assertDeletionClaimsHold } from '../../support/models/true-claims.js';
import { until } from '../../support/until.js';
import { type Accepted, BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const WITHIN_MS = 30_000;
const NO_WAIT = { headers: { prefer: 'wait=0' } };
const KINDS = [true, false].flatMap((unique) => [true, false].map((inheritable) => ({ unique, inheritable })));
const READERS = ['fast', 'plain'] as const;

export interface OracleTrials {
  /** Stories on each backend with each reader. */
  readonly stories: number;
  readonly seed: number;
  /** Whether each backend runs with both readers, and not with one of them only. */
  readonly crossed: boolean;
  /** No story is begun after this time. */
  readonly mostMs?: number;
}

const story = fc.record({
  kind: fc.constantFrom(...KINDS),
  jobs: fc.array(fc.oneof({ weight: 5, arbitrary: itemJob }, { weight: 1, arbitrary: deletion }), {
    minLength: 1,
    maxLength: 4,
  }),
});

export function describeOracle({ stories, seed, crossed, mostMs = 600_000 }: OracleTrials): void {
  forEachBackend((backend) => {
    for (const reader of READERS.filter((_, nth) => crossed || (nth === 0) === (backend.name === 'postgres'))) {
      describe(`random jobs, with the ${reader} reader`, function () {
        this.timeout(mostMs + 120_000);
        let world: World;
        const shops = new Map<string, Shop>();
        before(async () => {
          world = await startWorld({ redisUrl: backend.redisUrl, environment: { IMPORT_READER: reader } });
          await world.startWorkers({}, BULK_ONLY);
          for (const kind of KINDS) {
            const shop = await (await world.newShop()).define(catalogOf(kind));
            shops.set(keyOf(kind), await defineAlternates(shop));
          }
        });
        after(() => world.stop());

        it(`end as the model says, and what their errors say is true (seed ${seed})`, async () => {
          await fc.assert(
            fc.asyncProperty(story, async ({ kind, jobs }) => {
              const shop = shops.get(keyOf(kind)) ?? assert.fail();
              await empty(world, shop);
              const oracle = new CatalogOracle(rulesOf(kind));
              for (const [nth, job] of jobs.entries()) {
                const tried = 'skus' in job ? tryDeletion(world, shop, oracle, job) : tryJob(world, shop, oracle, job);
                await tried.catch((error: Error) => {
                  throw new Error(`job ${nth + 1}: ${error.message}`, { cause: error });
                });
              }
            }),
            { seed, numRuns: stories, interruptAfterTimeLimit: mostMs },
          );
        });
      });
    }
  });
}

function keyOf(kind: (typeof KINDS)[number]): string {
  return JSON.stringify(kind);
}

async function empty(world: World, { siteId }: Shop): Promise<void> {
  for (const table of ['item', 'bundle_item', 'item_unique_value', 'category_item', 'change_set', 'item_change']) {
    await world.db(table).where({ site_id: siteId }).delete();
  }
}

async function tryJob(world: World, shop: Shop, oracle: CatalogOracle, job: ItemJob): Promise<void> {
  const before = oracle.copy();
  const outcome = await shop.outcome(await carryOut(world, shop, job));
  const after = oracle.copy();
  const prediction = after.apply(job.rows, job.mode, job.channel);
  const isRejected = job.onError === 'abort' && prediction.failed.size > 0 && !job.validateOnly;
  if (outcome.status === 'CANCELLED') await adoptCancelled(shop, oracle, job, outcome, prediction);
  else {
    assertPredicted(numbered(job), outcome, prediction, isRejected);
    if (!isRejected && !job.validateOnly) oracle.apply(job.rows, job.mode, job.channel);
  }
  await assertStored(world, shop, oracle);
  await assertClaimsHold(shop, job, outcome, before);
}

async function assertStored(world: World, shop: Shop, oracle: CatalogOracle): Promise<void> {
  assert.deepEqual(await stored(shop), expected(oracle));
  await assertChangesAddUp(world.db, shop.siteId);
  assert.deepEqual(await reserved(world, shop), expectedReservations(oracle));
  assert.deepEqual(await members(world, shop), expectedMembers(oracle));
  const parts = await world
    .db('bundle_item')
    .where({ site_id: shop.siteId })
    .distinct('bundle_sku')
    .pluck('bundle_sku');
  for (const sku of parts) assert.ok(oracle.items.has(sku), `there are items of ${sku}, which does not exist`);
}

async function tryDeletion(world: World, shop: Shop, oracle: CatalogOracle, job: Deletion): Promise<void> {
  const before = oracle.copy();
  const outcome = await shop.outcome(await carryOutDeletion(world, shop, job));
  const prediction = oracle.copy().delete(job.skus, job.channel);
  const isRejected = job.onError === 'abort' && prediction.failed.size > 0 && !job.validateOnly;
  const numbered = { rows: job.skus, validateOnly: job.validateOnly, numberOf: (index: number) => index + 1 };
  assertPredicted(numbered, outcome, prediction, isRejected);
  if (!isRejected && !job.validateOnly) oracle.delete(job.skus, job.channel);
  await assertStored(world, shop, oracle);
  await assertDeletionClaimsHold(shop, job, outcome, before);
}

async function carryOutDeletion(
  world: World,
  shop: Shop,
  { skus, channel, onError, validateOnly, fate }: Deletion,
): Promise<string> {
  if (fate.kind === 'crash') {
    const rows = skus.map((sku) => ({ sku }));
    const accepted = await world.acceptRows(shop, 'delete', rows, { onError, validateOnly });
    await crashJob(world, accepted.outboxEntries, fate);
    return accepted.jobId;
  }
  const path = `/api-product/v1/product/bulk/delete?onError=${onError}&validateOnly=${validateOnly}`;
  const context = channel === null ? {} : { channel };
  const { body } = await shop.call('POST', path, { body: { skus }, ...NO_WAIT, context });
  return body.jobId;
}

/** @returns the job's id */
async function carryOut(world: World, shop: Shop, job: ItemJob): Promise<string> {
  const { mode, onError, validateOnly, fate } = job;
  const context = job.channel === null ? {} : { channel: job.channel };
  if (fate.kind === 'undisturbed') {
    if (job.form === 'bulk') {
      const query = `onError=${onError}&validateOnly=${validateOnly}`;
      const { body } = await shop.bulk(mode, elementsOf(job), { ...NO_WAIT, query, context });
      return body.jobId;
    }
    const { name, content } = await fileOf(job);
    return shop.upload(name, content, { mode, onError, validateOnly }, { type: job.content, context });
  }
  const accepted = await accept(world, shop, job);
  if (fate.kind === 'crash') await crashJob(world, accepted.outboxEntries, fate);
  else await cancel(world, shop, accepted, fate.after);
  return accepted.jobId;
}

async function accept(world: World, shop: Shop, job: ItemJob): Promise<Accepted> {
  const { mode, onError, validateOnly } = job;
  const over = { onError, validateOnly };
  if (job.form === 'bulk') return world.acceptRows(shop, mode, elementsOf(job), over);
  const { name, content } = await fileOf(job);
  return world.acceptFile(shop, name, content, mode, over);
}

async function cancel(world: World, shop: Shop, job: Accepted, after: number): Promise<void> {
  const { producer, logger } = world.services;
  await enqueueEntries(producer, job.outboxEntries, logger);
  const isDue = async () => {
    const { completedAt, progressTracker } = await shop.ask('GET', `/jobs/${job.jobId}`);
    return completedAt !== null || (progressTracker.processedCount ?? 0) >= after;
  };
  if (after >= 0) await until('the moment has come', isDue, WITHIN_MS);
  const { status } = await shop.call('POST', `/jobs/${job.jobId}/actions/cancel`);
  assert.ok(status === 200 || status === 409);
}

/** The rows of a job, and the numbers that messages give them. */
interface Numbered {
  readonly rows: readonly unknown[];
  readonly validateOnly: boolean;
  readonly numberOf: (index: number) => number;
}

function numbered(job: ItemJob): Numbered {
  return { rows: job.rows, validateOnly: job.validateOnly, numberOf: (index) => rowNumber(job, index) };
}

function assertPredicted(job: Numbered, outcome: Outcome, prediction: Prediction, isRejected: boolean): void {
  const { failed, created, updated, followers } = prediction;
  const codes = codesByRow(outcome);
  assert.deepEqual(
    [...codes.keys()],
    [...failed.keys()].map(job.numberOf).sort((a, b) => a - b),
  );
  for (const [index, code] of failed) {
    const given = codes.get(job.numberOf(index)) ?? [];
    assert.ok(given.includes(code), `row ${job.numberOf(index)} fails with ${given}, and not with ${code}`);
  }
  const counts = [outcome.created, outcome.updated, outcome.unchanged];
  const applied = job.rows.length - failed.size;
  if (isRejected) return assert.deepEqual([outcome.status, ...counts], ['REJECTED', 0, 0, 0]);
  assert.equal(outcome.status, failed.size > 0 && !job.validateOnly ? 'COMPLETED_PARTIALLY' : 'COMPLETED');
  assert.equal(outcome.total, job.rows.length);
  const least = { created, updated, unchanged: applied - created - updated - followers };
  const most = { created, updated: updated + followers, unchanged: applied - created - updated };
  for (const name of ['created', 'updated', 'unchanged'] as const) {
    assert.ok(
      outcome[name] >= least[name] && outcome[name] <= most[name],
      `${outcome[name]} ${name}: ${JSON.stringify(least)}`,
    );
  }
}

/** Of a cancelled job whole chunks remain, or nothing: what it says that it has applied, is applied, as if the job had been that. */
async function adoptCancelled(
  shop: Shop,
  oracle: CatalogOracle,
  job: ItemJob,
  outcome: Outcome,
  { failed }: Prediction,
): Promise<void> {
  for (const [number, codes] of codesByRow(outcome)) {
    const code = [...failed].find(([index]) => rowNumber(job, index) === number)?.[1];
    assert.ok(code !== undefined && codes.includes(code), `row ${number} of the cancelled job fails with ${codes}`);
  }
  const { success } = await shop.result(outcome.id);
  const applied = new Set(success.map(({ sku }: { sku: string }) => sku));
  assert.equal(applied.size, outcome.created + outcome.updated + outcome.unchanged);
  if (job.onError === 'abort' || job.validateOnly || job.form === 'bulk') assert.equal(applied.size, 0);
  const rows = job.rows.filter(({ sku }, index) => !failed.has(index) && applied.has(sku));
  assert.equal(rows.length, applied.size);
  const again = oracle.apply(rows, job.mode);
  assert.equal(again.failed.size, 0, 'a row of the cancelled job was applied without those that it needs');
}

function codesByRow({ errors }: Outcome): Map<number, string[]> {
  const codes = new Map<number, string[]>();
  for (const { row, code } of errors) codes.set(row, [...(codes.get(row) ?? []), code]);
  return codes;
}

async function stored(shop: Shop): Promise<unknown[]> {
  return (await shop.items()).map((item) => {
    const { sku, type, status, nodeName, parentSku, bundleItems = [], channels, attributes, inherited = [] } = item;
    // Whether a number is shown as a number or as a text is no matter of what jobs do.
    const values = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
    return {
      sku,
      type,
      status,
      nodeName,
      parentSku,
      bundleItems,
      channels,
      attributes: values,
      inherited: [...inherited].sort(),
    };
  });
}

function expected(oracle: CatalogOracle): unknown[] {
  return [...oracle.items]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([sku, { type, category, parentSku, bundleItems, channels, values }]) => {
      const attributes = oracle.shownValues(sku);
      const inherited = Object.keys(attributes).filter((name) => !(name in values));
      const status = oracle.statusOf(sku);
      return {
        sku,
        type,
        status,
        nodeName: `PRIMARY->${category}`,
        parentSku,
        bundleItems,
        channels,
        attributes,
        inherited: inherited.sort(),
      };
    });
}

/** Each place of an item in an alternate category. */
async function members(world: World, { siteId }: Shop): Promise<string[]> {
  const rows = await world
    .db('category_item')
    .join('category', 'category.id', 'category_item.category_id')
    .where({ 'category_item.site_id': siteId })
    .select('category_item.sku', 'category.name');
  return rows.map(({ sku, name }) => `${sku} in ${name}`).sort();
}

function expectedMembers({ items }: CatalogOracle): string[] {
  return [...items]
    .flatMap(([sku, { alternates }]) => alternates.map((path) => `${sku} in ${path.replace(/.*->/, '')}`))
    .sort();
}

/** The SKUs that have a reserved value. */
async function reserved(world: World, { siteId }: Shop): Promise<string[]> {
  return (await world.db('item_unique_value').where({ site_id: siteId }).pluck('sku')).sort();
}

function expectedReservations({ items, rules }: CatalogOracle): string[] {
  return [...items].flatMap(([sku, { values }]) => ((rules.unique ?? '') in values ? [sku] : [])).sort();
}
