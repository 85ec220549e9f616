/**
 * Declares what random files and requests that are the whole truth leave, among other jobs that are accepted meanwhile and workers
 * that are killed: what a small model says, job by job in the order in which they were accepted.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ImportOptions } from '../../../src/domain/imports/model/import-options.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { crashJob, rescueLost } from '../../support/faults/crash-job.js';
import type { Backend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

interface SnapshotTrials {
  readonly stories: number;
  readonly seed: number;
  readonly mostMs: number;
}

const CATEGORIES = ['A->A1', 'A->A2', 'B'] as const;
const SKUS = Array.from({ length: 9 }, (_, nth) => `k${nth}`);
const TITLES = ['x', 'y', 'z'] as const;
const FEEDS = ['ERP', 'Supplier'] as const;
type Feed = (typeof FEEDS)[number];

interface Row {
  readonly sku: string;
  readonly category: (typeof CATEGORIES)[number];
  readonly title: string;
  readonly fails: boolean;
}

const rows = (fails: number): fc.Arbitrary<Row[]> =>
  fc.uniqueArray(
    fc.record({
      sku: fc.constantFrom(...SKUS),
      category: fc.constantFrom(...CATEGORIES),
      title: fc.constantFrom(...TITLES),
      fails: fc.integer({ min: 0, max: 99 }).map((nth) => nth < fails),
    }),
    { selector: ({ sku }) => sku, minLength: 1, maxLength: 7 },
  );

const snapshot = fc.record({
  scope: fc.oneof(
    { weight: 1, arbitrary: fc.constant('stage' as const) },
    { weight: 1, arbitrary: fc.constantFrom('A', ...CATEGORIES).map((category) => ({ category })) },
    { weight: 1, arbitrary: fc.constantFrom(...TITLES).map((value) => ({ attribute: 'Title' as const, value })) },
    { weight: 3, arbitrary: fc.constantFrom(...FEEDS).map((feed) => ({ feed })) },
  ),
  missing: fc.oneof(
    { weight: 2, arbitrary: fc.constant('delete' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...TITLES).map((value) => ({ set: { attribute: 'Title', value } })) },
    { weight: 1, arbitrary: fc.constant({ clear: ['Title'] }) },
  ),
  maxMissingPercent: fc.constantFrom(0, 25, 50, 100, 100, 100),
  maxMissing: fc.constantFrom(undefined, undefined, 1, 3),
  minRows: fc.constantFrom(undefined, undefined, 3),
});

const truth = fc.record({
  kind: fc.constant('truth' as const),
  /** Whether its rows come in a request. */
  inRequest: fc.boolean(),
  rows: rows(4),
  snapshot,
  mode: fc.constantFrom('upsert' as const, 'upsert' as const, 'insert' as const),
  onError: fc.constantFrom('skip' as const, 'abort' as const),
  validateOnly: fc.constantFrom(false, false, false, true),
  killedAt: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 90 })),
  lose: fc.constantFrom('unsent' as const, 'unanswered' as const),
});
const other = fc.record({ kind: fc.constantFrom('upsert' as const, 'insert' as const), rows: rows(0) });
const deletion = fc.record({ kind: fc.constant('delete' as const), rows: rows(0) });
const story = fc.array(
  fc.oneof({ weight: 3, arbitrary: truth }, { weight: 2, arbitrary: other }, { weight: 1, arbitrary: deletion }),
  { minLength: 2, maxLength: 5 },
);

type Truth = typeof truth extends fc.Arbitrary<infer T> ? T : never;
type Job = typeof story extends fc.Arbitrary<(infer T)[]> ? T : never;
interface Held {
  readonly category: string;
  readonly title: string | undefined;
}
interface Catalog {
  readonly items: ReadonlyMap<string, Held>;
  /** What each feed has written. */
  readonly written: Readonly<Record<Feed, ReadonlySet<string>>>;
}
const EMPTY: Catalog = { items: new Map(), written: { ERP: new Set(), Supplier: new Set() } };

/** What is said of a job when it has ended. */
type Said = readonly [status: string, reason: string | null, removed?: number, kept?: number];

export function describeSnapshots(backend: Backend, { stories, seed, mostMs }: SnapshotTrials): void {
  let world: World;
  before(async () => {
    world = await startWorld({ redisUrl: backend.redisUrl });
    await world.startWorkers({}, BULK_ONLY);
  });
  after(() => world.stop());

  it(`leave what a model says, among other jobs and kills (seed ${seed})`, async () => {
    const shop = await (await world.newShop()).define({
      attributes: ['Title'],
      categories: Object.fromEntries(CATEGORIES.map((path) => [path, ['Title']])),
    });
    const feeds = await makeFeeds(shop);
    await fc.assert(
      fc.asyncProperty(story, async (jobs) => {
        await empty(world, shop);
        let catalog = EMPTY;
        const expected: (readonly [id: string, said: Said])[] = [];
        // Each is accepted while those before may still run.
        for (const job of jobs) {
          const id = await accepted(world, shop, feeds, job);
          const { after, said } = apply(catalog, job);
          catalog = after;
          expected.push([id, said]);
        }
        for (const [nth, [id, said]] of expected.entries()) {
          const job = jobs[nth];
          if (job?.kind === 'truth' && job.killedAt !== null) await rescueLost(world);
          const { status, reason } = await shop.outcome(id);
          const { removal } = await shop.ask('GET', `/jobs/${id}`);
          const told = removal === undefined ? [status, reason] : [status, reason, removal.removed, removal.kept];
          assert.deepEqual(told, said, `job ${nth + 1}`);
        }
        assert.deepEqual(await stored(shop), [...catalog.items].map(shown).sort());
        for (const feed of FEEDS) {
          const written = await world.db('feed_item').where({ feed_id: feeds[feed] }).pluck('sku');
          assert.deepEqual(written.sort(), [...catalog.written[feed]].sort(), `what the feed ${feed} has written`);
        }
        await assertChangesAddUp(world.db, shop.siteId);
        assert.deepEqual(await world.db('snapshot_sku').select('job_id'), []);
      }),
      { seed, numRuns: stories, interruptAfterTimeLimit: mostMs },
    );
  });
}

async function empty(world: World, { siteId }: Shop): Promise<void> {
  for (const table of ['item', 'feed_item', 'change_set', 'item_change'])
    await world.db(table).where({ site_id: siteId }).delete();
}

/** @returns their ids */
async function makeFeeds(shop: Shop): Promise<Readonly<Record<Feed, string>>> {
  const make = async (name: Feed): Promise<string> => {
    const connection = { kind: 'https', url: 'https://example.com/items.csv' };
    return (await shop.ask('POST', '/feeds', { body: { name, connection, fileType: 'ITEM_IMPORT' } })).id;
  };
  return { ERP: await make('ERP'), Supplier: await make('Supplier') };
}

async function accepted(world: World, shop: Shop, feeds: Readonly<Record<Feed, string>>, job: Job): Promise<string> {
  if (job.kind === 'truth') return acceptedTruth(world, shop, feeds, job);
  const { producer, logger } = world.services;
  const elements = job.rows.map(({ sku, category, title }) =>
    job.kind === 'delete' ? { sku } : { sku, nodeName: category, attributes: { Title: title } },
  );
  const { jobId, outboxEntries } = await world.acceptRows(shop, job.kind, elements);
  await enqueueEntries(producer, outboxEntries, logger);
  return jobId;
}

async function acceptedTruth(
  world: World,
  shop: Shop,
  feeds: Readonly<Record<Feed, string>>,
  job: Truth,
): Promise<string> {
  const rows = job.rows.map(({ sku, category, title, fails }) => ({
    sku,
    nodeName: fails ? 'Nowhere' : category,
    title,
  }));
  const { mode, onError, validateOnly, snapshot: given, killedAt, lose } = job;
  const feed = feedOf(job);
  const scope = feed === undefined ? given.scope : { feed, id: feeds[feed] };
  const options: Partial<ImportOptions> = { onError, validateOnly, snapshot: { ...given, scope } };
  const lines = rows.map(({ sku, nodeName, title }) => `${sku},${nodeName},${title}`);
  const content = `${['SKU,Category Node,Title', ...lines].join('\n')}\n`;
  const elements = rows.map(({ title, ...row }) => ({ ...row, attributes: { Title: title } }));
  const { jobId, outboxEntries } = job.inRequest
    ? await world.acceptRows(shop, mode, elements, options)
    : await world.acceptFile(shop, 'truth.csv', content, mode, options);
  if (killedAt === null) await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
  else await crashJob(world, outboxEntries, { at: killedAt, lose });
  return jobId;
}

/** The feed of which a job says all. */
function feedOf({ snapshot: { scope } }: Truth): Feed | undefined {
  return typeof scope === 'object' && 'feed' in scope ? scope.feed : undefined;
}

/** The model: rows first, removals last, and the brake. */
function apply(before: Catalog, job: Job): { readonly after: Catalog; readonly said: Said } {
  const items = new Map(before.items);
  const done: string[] = [];
  let failed = 0;
  let notThere = 0;
  let there = 0;
  for (const { sku, category, title, fails } of job.rows) {
    if (job.kind === 'delete') {
      if (!items.delete(sku)) notThere++;
      continue;
    }
    const mode = job.kind === 'truth' ? job.mode : job.kind;
    if (mode === 'insert' && before.items.has(sku)) there++;
    if (fails) failed++;
    if (fails || (mode === 'insert' && before.items.has(sku))) continue;
    items.set(sku, { category, title });
    done.push(sku);
  }
  const status = (some: number) => (some > 0 ? 'COMPLETED_PARTIALLY' : 'COMPLETED');
  if (job.kind !== 'truth') {
    const after = { items, written: ofItems(before.written, items) };
    return { after, said: [status(notThere + there + failed), null] };
  }
  const failing = job.rows.filter(({ sku, fails }) => fails || (job.mode === 'insert' && before.items.has(sku))).length;
  if (job.onError === 'abort' && failing > 0 && !job.validateOnly) {
    return { after: before, said: ['REJECTED', 'ROWS_FAILED'] };
  }
  const feed = feedOf(job);
  const own = feed === undefined ? {} : { [feed]: new Set([...before.written[feed], ...done]) };
  return removeMissing(before, { items, written: { ...before.written, ...own } }, job, failing, failed);
}

/** What feeds have written goes with its item. */
function ofItems(written: Catalog['written'], items: Catalog['items']): Catalog['written'] {
  const left = (feed: Feed) => new Set([...written[feed]].filter((sku) => items.has(sku)));
  return { ERP: left('ERP'), Supplier: left('Supplier') };
}

function removeMissing(
  before: Catalog,
  { items: applied, written }: Catalog,
  job: Truth,
  failing: number,
  failed: number,
) {
  const { scope, missing, maxMissingPercent, maxMissing, minRows } = job.snapshot;
  const items = new Map(applied);
  const feed = feedOf(job);
  const inScope = [...items].filter(([sku, { category, title }]) => {
    if (scope === 'stage') return true;
    if ('feed' in scope) return written[scope.feed].has(sku);
    return 'category' in scope ? `${category}->`.startsWith(`${scope.category}->`) : title === scope.value;
  });
  const given = new Set(job.rows.map(({ sku }) => sku));
  const to = missing === 'delete' || 'clear' in missing ? undefined : missing.set.value;
  const lacking = inScope.filter(([sku, { title }]) => !given.has(sku) && (missing === 'delete' || title !== to));
  const isShared = (sku: string) =>
    feed !== undefined && FEEDS.some((other) => other !== feed && written[other].has(sku));
  const going = lacking.filter(([sku]) => !isShared(sku));
  const kept = lacking.length - going.length;
  const holds =
    going.length > 0 &&
    (going.length * 100 > maxMissingPercent * inScope.length ||
      going.length > (maxMissing ?? SKUS.length) ||
      job.rows.length < (minRows ?? 0) ||
      failed > 0);
  const stopped = holds && !job.validateOnly;
  const released = new Set(feed === undefined ? [] : written[feed]);
  if (!stopped) {
    for (const [sku] of lacking) if (isShared(sku)) released.delete(sku);
    for (const [sku, { category }] of going) {
      if (missing === 'delete') items.delete(sku);
      else items.set(sku, { category, title: to });
    }
  }
  const after = { items, written: ofItems(feed === undefined ? written : { ...written, [feed]: released }, items) };
  const removed = stopped ? 0 : going.length;
  if (job.validateOnly) return { after: before, said: ['COMPLETED', null, removed, kept] as const };
  if (stopped && job.onError === 'abort')
    return { after: before, said: ['REJECTED', 'SNAPSHOT_BRAKE', 0, kept] as const };
  if (stopped) return { after, said: ['COMPLETED_PARTIALLY', 'SNAPSHOT_BRAKE', 0, kept] as const };
  const isPartial = failing + kept > 0;
  return { after, said: [isPartial ? 'COMPLETED_PARTIALLY' : 'COMPLETED', null, removed, kept] as const };
}

function shown([sku, { category, title }]: readonly [string, Held]): string {
  return `${sku} ${category} ${title}`;
}

async function stored(shop: Shop): Promise<string[]> {
  const items = await shop.items();
  return items
    .map(({ sku, nodeName, attributes }) => `${sku} ${nodeName?.replace('PRIMARY->', '')} ${attributes.Title}`)
    .sort();
}
