/** Random stages: all in which one differs from another is carried over, and taken back. */
import assert from 'node:assert/strict';
import type { Answer } from '../../support/http/call-api.js';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { contentOf, exportStage } from '../../support/http/stages.js';

type Body = Answer['body'];
type Context = CallOptions['context'];

const WAIT = { prefer: 'wait=25' };
const TYPES = ['TEXT', 'DECIMAL', 'OPTIONS', 'TEXT', 'INTEGER', 'TEXT'] as const;
const UNIQUE = 5;
const OPTIONS = ['red', 'blue', 'green', 'grey'];
const LEAVES = ['X->1', 'X->2', 'Y->1->1', 'Z'];
const ALTERNATES = ['Gifts->1', 'Gifts->2', 'Sale'];
const ITEMS = 14;

/** Numbers below a limit, the same for the same seed. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % limit;
  };
}

/** @param seed of the contents of both stages, of which `production` gets what `staging` has */
export async function promoteRandomStage(shop: Shop, seed: number): Promise<void> {
  const random = randomNumbers(seed);
  await fill(shop, random, undefined);
  await fill(shop, random, { stage: 'staging' });
  const before = contentOf(await exportStage(shop));
  const source = contentOf(await exportStage(shop, { stage: 'staging' }));
  const found = await compare(shop);
  if (found.progressTracker.totalCount === 0) return;
  const promoted = await carryOver(shop, found.id);
  assert.deepEqual(contentOf(await exportStage(shop, { stage: 'staging' })), source, 'the source stays as it is');
  const left = await compare(shop);
  const changes: Body = await shop.ask('GET', `/jobs/${left.id}/changes`);
  assert.deepEqual([left.progressTracker.totalCount, changes.data], [0, []], `seed ${seed}: equal after it`);
  const undone = await run(shop, `/jobs/${promoted}/actions/revert`, {});
  assert.deepEqual(await shop.errors(undone.id), [], `seed ${seed}: all is taken back`);
  assert.deepEqual(contentOf(await exportStage(shop)), before, `seed ${seed}: the stage is as it was before`);
}

async function carryOver(shop: Shop, compareJobId: string): Promise<string> {
  const { id, status } = await run(shop, '/jobs/site/actions/promote', { compareJobId, definitions: 'all' });
  assert.deepEqual([status, await shop.errors(id)], ['COMPLETED', []]);
  return id;
}

function compare(shop: Shop): Promise<Body> {
  return run(shop, '/jobs/site/actions/compare', { with: 'staging' });
}

/** Runs a job to its end. */
async function run(shop: Shop, path: string, body: unknown, context?: Context): Promise<Body> {
  const options = { headers: WAIT, ...(context ? { context } : {}) };
  const { status, body: answer } = await shop.call('POST', path, { ...options, body });
  if (status === 200) return answer;
  assert.equal(status, 202, JSON.stringify(answer));
  // The machine may be slow: the API lets a client wait for less than it may take.
  let job = await shop.ask('GET', `/jobs/${answer.jobId}`, options);
  for (let more = 2; job.completedAt === null && more > 0; more--) {
    job = await shop.ask('GET', `/jobs/${answer.jobId}`, options);
  }
  assert.notEqual(job.completedAt, null, `the job does not end: ${JSON.stringify(job)}`);
  return job;
}

async function fill(shop: Shop, random: (limit: number) => number, context: Context): Promise<void> {
  const some = <T>(all: readonly T[], of: number) => all.filter(() => random(of) > 0);
  const apply = async (path: string, rows: readonly object[]) => {
    if (rows.length === 0) return;
    const job = await run(shop, path, rows, context);
    const errors = job.progressTracker?.errorCount > 0 ? await shop.errors(job.id) : [];
    assert.deepEqual(errors, [], JSON.stringify([rows, job]));
  };
  const numbers = some([...TYPES.keys()], 4);
  const options = [OPTIONS[0] ?? '', ...some(OPTIONS.slice(1), 2)];
  const attributes = numbers.map((n) => ({
    ...{ name: random(3) > 0 ? `A${n}` : `a${n}`, type: TYPES[n] },
    ...(TYPES[n] === 'OPTIONS' ? { options } : {}),
    ...(random(3) > 0 ? {} : { description: `described ${random(3)}` }),
    ...(n === UNIQUE ? { validation: { unique: true } } : n === 0 ? { validation: { maxLength: 20 + random(2) } } : {}),
  }));
  await apply('/api-product/v1/product/attribute/bulk', attributes);
  const leaves = some(LEAVES, 4);
  const held = new Map(leaves.map((path) => [path, some(numbers, 3)]));
  const alternates = some(ALTERNATES, 3);
  const above = new Set(
    [...leaves, ...alternates].flatMap((path) => path.split('->').map((_, n, all) => all.slice(0, n + 1).join('->'))),
  );
  const isAlternate = (path: string) => alternates.some((one) => one.startsWith(path));
  const categories = [...above]
    .sort((one, other) => one.split('->').length - other.split('->').length)
    .map((path) => ({
      ...{ path, active: random(5) > 0 },
      ...(isAlternate(path) ? { type: 'ALTERNATE' } : {}),
      ...(held.has(path)
        ? { itemAttributes: held.get(path)?.map((n) => ({ name: `A${n}`, mandatory: random(4) === 0 })) }
        : {}),
    }));
  await apply('/api-category/v1/category/bulk/upsert', categories);
  const skus = some([...Array(ITEMS).keys()], 4);
  const [plain, variants, bundles] = [
    skus.filter((n) => n < 8),
    skus.filter((n) => n >= 8 && n < 11),
    skus.filter((n) => n >= 11),
  ];
  if (leaves.length === 0) return;
  const shift = random(5);
  const itemOf = (n: number) => {
    const nodeName = leaves[random(leaves.length)] ?? '';
    const values = some(held.get(nodeName) ?? [], 3).map((one) => [`A${one}`, randomValue(one, n)] as const);
    return {
      ...{ sku: `s${n}`, nodeName, attributes: Object.fromEntries(values) },
      ...(random(2) > 0 ? { alternateCategories: some(alternates, 2) } : {}),
      ...(random(4) > 0 ? {} : { channels: [1 + random(2)] }),
    };
  };
  const randomValue = (attribute: number, n: number) => {
    if (attribute === UNIQUE) return `u${(n + shift) % ITEMS}`;
    if (TYPES[attribute] === 'OPTIONS') return options[random(options.length)];
    if (TYPES[attribute] === 'INTEGER') return random(4);
    return TYPES[attribute] === 'TEXT' ? `text ${random(4)}` : String(random(4));
  };
  await apply('/api-product/v1/product/bulk/upsert', plain.map(itemOf));
  if (plain.length === 0) return;
  const one = () => `s${plain[random(plain.length)]}`;
  await apply(
    '/api-product/v1/product/bulk/upsert',
    variants.map((n) => ({ ...itemOf(n), parentSku: one() })),
  );
  await apply(
    '/api-product/v1/product/bulk/upsert',
    bundles.map((n) => ({ ...itemOf(n), type: 'BUNDLE', bundleItems: [{ sku: one(), quantity: 1 + random(3) }] })),
  );
}
