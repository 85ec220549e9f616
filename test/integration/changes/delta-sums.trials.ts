/** Declares that a file of everything and files of what has changed since add up, whatever is changed of items and definitions. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { carryOutOnStage, stageJob } from '../../support/models/stage-jobs.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
type Entity = 'product' | 'attribute' | 'category';
const CATEGORY = '/api-category/v1/category';
const WAIT = { prefer: 'wait=25' };

interface SumTrials {
  readonly trials: number;
  readonly seed: number;
  /** No trial is begun after this time. */
  readonly mostMs?: number;
}

/** Names of categories that requests move and rename: the second and the third have items. */
const PLACES = ['Shelf', 'Upper', 'Lower', 'Store'] as const;
const KEPT = 'Kept';

const step = fc.oneof(
  { weight: 3, arbitrary: stageJob.map((job) => ({ kind: 'job' as const, job })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      nth: fc.nat(PLACES.length - 1),
      name: fc.constantFrom('One', 'Two', 'Three', 'Four'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('move' as const), nth: fc.constantFrom(1, 2), to: fc.constantFrom(0, 3) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('item' as const),
      sku: fc.constantFrom('x', 'y', 'z'),
      nth: fc.constantFrom(1, 2),
      kept: fc.constantFrom('1', '2', '3', null),
      channels: fc.constantFrom(undefined, undefined, [1], [1, 2]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), sku: fc.constantFrom('x', 'y', 'z') }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** How many copies there are of a stage, each by another export. */
const COPIES = 9;

const trial = fc.record({
  chosen: fc.shuffledSubarray([...Array(COPIES).keys()], { minLength: 3, maxLength: 4 }),
  before: fc.array(step, { maxLength: 4 }),
  rounds: fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
});

export function describeDeltaSums({ trials, seed, mostMs = 600_000 }: SumTrials): void {
  describe('a file of everything and those of what has changed since', function () {
    this.timeout(mostMs + 120_000);
    let world: World;
    before(async () => {
      world = await startWorld({ workers: true });
    });
    after(() => world.stop());

    it(`add up to a file of everything, after random changes of items and definitions (seed ${seed})`, async () => {
      await fc.assert(
        fc.asyncProperty(trial, async ({ chosen, before, rounds }) => {
          const shop = await (await world.newShop()).define({
            attributes: [KEPT],
            categories: { 'Shelf->Upper': [KEPT], 'Shelf->Lower': [KEPT], Store: [] },
          });
          const nodes: number[] = await Promise.all(PLACES.map((name) => nodeOf(shop, name)));
          for (const one of before) await carryOut(world, shop, one, nodes);
          const copies = copiesOf(shop, nodes).filter((_, nth) => chosen.includes(nth));
          await Promise.all(copies.map((copy) => copy.read()));
          for (const round of rounds) {
            for (const one of round) await carryOut(world, shop, one, nodes);
            await Promise.all(copies.map((copy) => copy.read()));
          }
        }),
        { numRuns: trials, seed, interruptAfterTimeLimit: mostMs, markInterruptAsFailure: false },
      );
    });
  });
}

async function nodeOf(shop: Shop, name: string): Promise<number> {
  const { data } = await shop.ask('GET', `${CATEGORY}?keyword=${name}`);
  return data.find((one: Body) => one.name === name).nodeId;
}

/** What is not possible, such as a name that a sibling has, is refused and changes nothing. */
async function carryOut(world: World, shop: Shop, one: Step, nodes: readonly number[]): Promise<void> {
  switch (one.kind) {
    case 'job':
      await carryOutOnStage(world, shop, one.job);
      return;
    case 'rename':
      await shop.call('PUT', CATEGORY, { body: { nodeId: nodes[one.nth], name: one.name } });
      return;
    case 'move':
      await shop.call('PUT', CATEGORY, { body: { nodeId: nodes[one.nth], parentNodeId: nodes[one.to] } });
      return;
    case 'item': {
      const { sku, nth, kept, channels } = one;
      await shop.bulk('upsert', [{ sku, nodeId: nodes[nth], attributes: { [KEPT]: kept }, channels }]);
      return;
    }
    case 'delete':
      await shop.post('/api-product/v1/product/bulk/delete', { skus: [one.sku] }, { headers: WAIT });
  }
}

function copiesOf(shop: Shop, nodes: readonly number[]): Copy[] {
  const kept = (op: string, value: unknown) => ({ properties: [{ name: KEPT, op, value }] });
  return [
    new Copy(shop, 'product', { format: 'JSONL' }),
    new Copy(shop, 'product', { match: kept('NOT_IN', ['2']) }),
    new Copy(shop, 'product', { match: { categoryId: [nodes[0]] }, columns: ['SKU', KEPT], format: 'JSONL' }),
    new Copy(shop, 'product', { columns: ['Category Node', 'SKU', 'status', 'Channels'] }),
    new Copy(shop, 'product', { match: { status: 'DRAFT' }, columns: ['SKU', KEPT] }),
    new Copy(shop, 'attribute', { format: 'JSONL' }),
    new Copy(shop, 'attribute', { match: { type: ['TEXT'] } }),
    new Copy(shop, 'category', { format: 'JSONL' }),
    new Copy(shop, 'category', { match: { status: 'ACTIVE' } }),
  ];
}

type Row = Readonly<Record<string, unknown>>;

/** What a consumer has who adds up files: the whole first, and then what has changed. */
class Copy {
  #rows = new Map<string, Row>();
  #cursor: string | undefined;

  constructor(
    readonly shop: Shop,
    readonly entity: Entity,
    readonly body: { readonly format?: 'JSONL' } & Readonly<Record<string, unknown>>,
  ) {}

  /** Reads what has changed, or the whole for the first time. @throws AssertionError when it is not the whole then */
  async read(): Promise<void> {
    const since = this.#cursor === undefined ? {} : { since: { cursor: this.#cursor } };
    const { result, rows } = await this.#exported({ ...this.body, ...since });
    this.#cursor = result.cursor;
    if (result.content !== 'DELTA') this.#rows.clear();
    for (const { _operation, ...row } of rows) {
      const key = this.#keyOf(row);
      assert.equal(_operation === undefined, result.content !== 'DELTA', JSON.stringify([result, row]));
      if (_operation === 'DELETE') this.#rows.delete(key);
      else this.#rows.set(key, row);
    }
    const whole = await this.#exported(this.body);
    const expected = new Map(whole.rows.map((row) => [this.#keyOf(row), row]));
    const sorted = (all: ReadonlyMap<string, Row>) => [...all].sort(([one], [other]) => (one < other ? -1 : 1));
    assert.deepEqual(sorted(this.#rows), sorted(expected), `${this.entity} ${JSON.stringify([this.body, result])}`);
  }

  /** Attributes have the same name without regard to case. */
  #keyOf(row: Row): string {
    const { sku, SKU = sku, name, 'Attribute Title': title = name, path, 'Category Path': at = path } = row;
    if (this.entity === 'attribute') return String(title).toLowerCase();
    return this.entity === 'product' ? String(SKU) : `${row.type ?? row.Type} ${at}`;
  }

  async #exported(body: object): Promise<{ readonly result: Body; readonly rows: Row[] }> {
    const path = `/jobs/${this.entity}/actions/filter-export`;
    const result = await this.shop.ask('POST', path, { body, headers: WAIT });
    assert.equal(result.status, 'COMPLETED', JSON.stringify(result));
    const text = (await this.shop.download(result.outputFiles[0])).bytes.toString();
    const lines = text.split('\n').filter((line) => line !== '');
    if (this.body.format === 'JSONL') return { result, rows: lines.map((line) => JSON.parse(line)) };
    const [header = [], ...records] = lines.map((line) => line.split(','));
    // A column that is not there says no more than an empty cell.
    const rows = records.map((cells) =>
      Object.fromEntries(header.flatMap((name, nth) => (cells[nth] === '' ? [] : [[name, cells[nth]]]))),
    );
    return { result, rows };
  }
}
