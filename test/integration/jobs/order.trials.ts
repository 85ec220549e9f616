/** Declares that jobs of one site, accepted one after the other and applied by unlucky workers, end as calm workers end them. */
import assert from 'node:assert/strict';
import type { ImportOptions, WriteMode } from '../../../src/domain/imports/model/import-options.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { countChaos, installChaos, type UnluckyServices, unlucky } from '../../support/faults/chaos.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { pick, seededRandom } from '../../support/models/random.js';
import { type Accepted, BULK_ONLY, startWorld, type Workers, type World } from '../../support/worlds/world.js';

/** Trials that are under way at the same time, each in a site of its own. */
const AT_ONCE = 25;
/** After so many rounds there are no more trials for want of misfortunes. */
const MOST_ROUNDS = 8;

export function runOrderTrials(trials: number): void {
  const seed = Date.now() % 1_000_000;
  forEachBackend((backend) => {
    let world: World;
    let chaos: UnluckyServices;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl, environment: { RECONCILE_MS: '200' } });
      await installChaos(world.db);
      chaos = unlucky(world.services, seededRandom(seed));
    });
    after(async () => {
      await world.stop();
      await chaos.close();
    });

    it(`end as if run one after the other, in ${trials} random trials with retries and kills`, async () => {
      // Misfortunes are random: in few trials there may be too few, and then there are more trials.
      let strikes = 0;
      for (let first = 0; first < trials || (strikes < trials && first < MOST_ROUNDS * AT_ONCE); first += AT_ONCE) {
        const seeds = Array.from(
          { length: Math.min(AT_ONCE, first < trials ? trials - first : trials) },
          (_, index) => seed + first + index,
        );
        const cases = seeds.map((one) => makeTrial(seededRandom(one)));
        const calm = await withWorkers([await world.startWorkers({}, BULK_ONLY)], () =>
          Promise.all(cases.map(oneByOne)),
        );
        const unluckyWorkers = [
          await world.startWorkers(chaos.services, BULK_ONLY),
          await world.startWorkers(chaos.services, BULK_ONLY),
          await world.startWorkers({}, ['maintenance']),
        ];
        const stormy = await withWorkers(unluckyWorkers, () => Promise.all(cases.map(allAtOnce)));
        for (const [index, end] of stormy.entries()) {
          assert.deepEqual(end, calm[index], `seed ${seeds[index]}: ${JSON.stringify(cases[index])}`);
        }
        strikes = await countChaos(world.db);
      }
      assert.ok(strikes >= trials, `only ${strikes} misfortunes in ${trials} trials`);
    });

    async function oneByOne(jobs: readonly TrialJob[]): Promise<TrialEnd> {
      const shop = await newTrialShop(world);
      const accepted = [];
      for (const job of jobs) {
        const one = await acceptTrialJob(world, shop, job);
        await enqueueEntries(world.services.producer, one.outboxEntries, world.services.logger);
        await shop.outcome(one.jobId);
        accepted.push(one);
      }
      return endOfTrial(shop, accepted);
    }

    /** The queue hears of the last one first. */
    async function allAtOnce(jobs: readonly TrialJob[]): Promise<TrialEnd> {
      const shop = await newTrialShop(world);
      const accepted = [];
      for (const job of jobs) accepted.push(await acceptTrialJob(world, shop, job));
      for (const { outboxEntries } of accepted.toReversed()) {
        await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
      }
      return endOfTrial(shop, accepted);
    }
  });
}

async function withWorkers<T>(workers: readonly Workers[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await Promise.all(workers.map((one) => one.stop()));
  }
}

const ATTRIBUTES = ['Title', 'Colour', 'Size'];
const SKUS = Array.from({ length: 14 }, (_, index) => `s${index}`);

/** One job: rows of few keys, so that jobs meet in them. */
interface TrialJob {
  readonly mode: WriteMode;
  readonly form: 'request' | 'csv' | 'jsonl';
  readonly whole: Partial<ImportOptions>;
  readonly rows: readonly TrialRow[];
}

interface TrialRow {
  readonly sku: string;
  readonly nodeName: string;
  readonly parentSku?: string;
  /** Named: set, or cleared by null; not named: left alone. */
  readonly attributes: Readonly<Record<string, string | null>>;
}

/** Two or three jobs, of which no two neighbours may run side by side. */
function makeTrial(random: () => number): TrialJob[] {
  const jobs: TrialJob[] = [];
  for (let count = random() < 0.7 ? 2 : 3; jobs.length < count; ) {
    const mayInsert = jobs.at(-1)?.mode !== 'insert';
    const rows = 2 + Math.floor(random() * 16);
    jobs.push({
      // Few rows: each of them may fail for no reason, and takes all the others with it.
      whole: rows <= 5 ? pick(random, [{}, { onError: 'abort' }, { validateOnly: true }]) : {},
      mode: pick(random, mayInsert ? ['upsert', 'upsert', 'upsert', 'update', 'insert'] : ['upsert', 'update']),
      form: pick(random, ['request', 'csv', 'jsonl']),
      rows: Array.from({ length: rows }, () => makeRow(random, jobs.length)),
    });
  }
  return jobs;
}

function makeRow(random: () => number, job: number): TrialRow {
  const attributes: Record<string, string | null> = {};
  for (const name of ATTRIBUTES) {
    const luck = random();
    if (luck < 0.5) attributes[name] = `${name} of job ${job} ${Math.floor(random() * 1000)}`;
    else if (luck < 0.6) attributes[name] = null;
  }
  return {
    sku: random() < 0.03 ? '' : pick(random, SKUS),
    nodeName: random() < 0.04 ? 'Tape' : 'Disk',
    ...(random() < 0.08 ? { parentSku: pick(random, SKUS) } : {}),
    attributes,
  };
}

async function newTrialShop(world: World): Promise<Shop> {
  return (await world.newShop()).define({ attributes: ATTRIBUTES, categories: { Disk: ATTRIBUTES } });
}

/** Commits a job without telling the queue. */
function acceptTrialJob(world: World, shop: Shop, { mode, form, rows, whole }: TrialJob): Promise<Accepted> {
  if (form === 'request') return world.acceptRows(shop, mode, rows, whole);
  const text = form === 'csv' ? csvOf(rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return world.acceptFile(shop, `trial.${form}`, text, mode, whole);
}

function csvOf(rows: readonly TrialRow[]): string {
  const lines = rows.map(({ sku, nodeName, parentSku, attributes }) => {
    const cells = ATTRIBUTES.map((name) => (attributes[name] === null ? 'NULL' : (attributes[name] ?? '')));
    return `${[sku, nodeName, parentSku ?? '', ...cells].join(',')}\n`;
  });
  return `SKU,Category Node,Parent SKU,${ATTRIBUTES.join(',')}\n${lines.join('')}`;
}

/** What is left of a trial: the items, and what each job told of itself. */
interface TrialEnd {
  readonly items: readonly unknown[];
  readonly jobs: readonly unknown[];
}

/** Waits for the ends of the jobs. */
async function endOfTrial(shop: Shop, jobs: readonly Accepted[]): Promise<TrialEnd> {
  const told: unknown[] = [];
  for (const { jobId } of jobs) {
    // A job that fails five times is half a minute behind.
    await untilEnded(shop, jobId);
    told.push(tellingOf(await shop.outcome(jobId)));
  }
  const items = (await shop.items()).map(({ sku, status, parentSku, attributes }) => ({
    sku,
    status,
    parentSku,
    attributes,
  }));
  return { items, jobs: told };
}

function tellingOf(outcome: Outcome): unknown {
  const { status, total, created, updated, unchanged, failed } = outcome;
  assert.match(status, /^(COMPLETED|REJECTED)/);
  return { status, total, created, updated, unchanged, failed, errors: places(outcome) };
}
