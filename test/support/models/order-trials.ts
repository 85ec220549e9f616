/** Jobs of one site, accepted one after the other, carried out by unlucky workers, and compared with what calm ones make of them. */
import assert from 'node:assert/strict';
import type { ImportOptions, WriteMode } from '../../../src/domain/imports/import-options.js';
import { type Outcome, places, type Shop } from '../http/shop.js';
import { untilEnded } from '../http/until-ended.js';
import type { Accepted, World } from '../worlds/world.js';
import { pick } from './random.js';

const ATTRIBUTES = ['Title', 'Colour', 'Size'];
const SKUS = Array.from({ length: 14 }, (_, index) => `s${index}`);

/** One job: rows of few keys, so that jobs meet in them. */
export interface TrialJob {
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
export function makeTrial(random: () => number): TrialJob[] {
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

export async function newTrialShop(world: World): Promise<Shop> {
  return (await world.newShop()).define({ attributes: ATTRIBUTES, categories: { Disk: ATTRIBUTES } });
}

/** Commits a job without telling the queue. */
export function acceptTrialJob(world: World, shop: Shop, { mode, form, rows, whole }: TrialJob): Promise<Accepted> {
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
export interface TrialEnd {
  readonly items: readonly unknown[];
  readonly jobs: readonly unknown[];
}

/** Waits for the ends of the jobs. */
export async function endOfTrial(shop: Shop, jobs: readonly Accepted[]): Promise<TrialEnd> {
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
