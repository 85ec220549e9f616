/** Random imports one after another, in every mode and form, beside a model of a few lines: items, counts and errors are the same. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Outcome, Shop, WriteMode } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const RUNS = 40;
const TIMEOUT_MS = 120_000;
const HEADER = ['SKU', 'Category Node', 'Title', 'Gtin'];

/** Undefined: the row says nothing of it; null: it clears it. */
type Said = string | null | undefined;
interface Row {
  readonly sku: string;
  readonly inCategory: boolean;
  readonly title: Said;
  readonly gtin: Said;
}
interface Step {
  readonly mode: WriteMode;
  readonly form: 'csv' | 'jsonl' | 'json' | 'bulk';
  readonly rows: readonly Row[];
}

const said = (...values: string[]): fc.Arbitrary<Said> =>
  fc.oneof(fc.constantFrom(...values), fc.constantFrom<Said[]>(undefined, null));
const row: fc.Arbitrary<Row> = fc.record({
  sku: fc.integer({ min: 0, max: 5 }).map((n) => `s${n}`),
  inCategory: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  title: said('a', 'b', 'NULL', '\\x'),
  gtin: said('1', '2', '3'),
});
const step: fc.Arbitrary<Step> = fc.record({
  mode: fc.constantFrom('insert', 'upsert', 'upsert', 'update'),
  form: fc.constantFrom('csv', 'csv', 'jsonl', 'json', 'bulk'),
  rows: fc.array(row, { minLength: 1, maxLength: 10 }),
});

describe('random histories', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 3 });
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Gtin', type: 'TEXT', validation: { unique: true } }],
      categories: { Disk: ['Title', 'Gtin'] },
    });
  });
  after(() => world.stop());

  it('end as the model does, step by step', async function () {
    this.timeout(TIMEOUT_MS);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        for (const table of ['item', 'item_unique_value'])
          await world.db(table).where({ site_id: shop.siteId }).delete();
        const model = new Model();
        for (const one of steps) {
          const expected = model.apply(one);
          const outcome = await carryOut(shop, one);
          assert.deepEqual(
            outcome.errors.map(({ row: number, code }) => [number, code]),
            expected.errors.map(([index, code]) => [one.form === 'csv' ? index + 2 : index + 1, code]),
          );
          const { created, updated, unchanged } = outcome;
          assert.deepEqual({ created, updated, unchanged }, expected.counts);
          const items = (await shop.items()).map(({ sku, attributes }) => [sku, attributes]);
          assert.deepEqual(Object.fromEntries(items), model.items());
        }
      }),
      { numRuns: RUNS },
    );
  });
});

interface ModelItem {
  title?: string;
  gtin?: string;
}

/** What the documentation says of imports. */
class Model {
  readonly #items = new Map<string, ModelItem>();

  apply({ mode, rows }: Step) {
    const counts = { created: 0, updated: 0, unchanged: 0 };
    const errors = new Map<number, string>();
    const open = new Map<number, { readonly sku: string; readonly after: ModelItem }>();
    rows.forEach((one, index) => {
      const stands = mode === 'insert' ? rows.find(sameKey(one)) === one : rows.findLast(sameKey(one)) === one;
      const judged = stands ? this.#read(mode, one) : 'SKU_DUPLICATE_IN_REQUEST';
      if (typeof judged === 'string') errors.set(index, judged);
      else open.set(index, { sku: one.sku, after: judged });
    });
    this.#settle(open, counts, (index) => errors.set(index, 'VALUE_NOT_UNIQUE'));
    return { counts, errors: [...errors].sort(([a], [b]) => a - b) };
  }

  /**
   * The rows are a set: each value goes to the first row that wants it and can have it. A row can have it when no item
   * has it, or when the row of that item gives it up, together with all that follows from this.
   */
  #settle(
    open: Map<number, { readonly sku: string; readonly after: ModelItem }>,
    counts: Record<string, number>,
    fail: (index: number) => void,
  ): void {
    const failed: [number, { readonly sku: string; readonly after: ModelItem }][] = [];
    const holderOf = (gtin: string, sku: string) =>
      [...this.#items].find(([other, item]) => other !== sku && item.gtin === gtin)?.[0];
    const write = (index: number): void => {
      const { sku, after } = open.get(index) ?? assert.fail();
      const before = this.#items.get(sku);
      const outcome = before === undefined ? 'created' : sameItem(before, after) ? 'unchanged' : 'updated';
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      this.#items.set(sku, after);
      open.delete(index);
    };
    const drop = (index: number): void => {
      failed.push([index, open.get(index) ?? assert.fail()]);
      open.delete(index);
    };
    /** The open row that a row waits for; undefined: none; null: it waits in vain. */
    const blockerOf = (index: number): number | undefined | null => {
      const { sku, after } = open.get(index) ?? assert.fail();
      if (after.gtin === undefined || this.#items.get(sku)?.gtin === after.gtin) return undefined;
      const claimant = [...open].find(([other, row]) => other < index && row.after.gtin === after.gtin)?.[0];
      const holder = holderOf(after.gtin, sku);
      if (holder === undefined) return claimant;
      const leaving = [...open].find(([, row]) => row.sku === holder);
      return leaving === undefined || leaving[1].after.gtin === after.gtin ? null : (claimant ?? leaving[0]);
    };
    for (let [first] = open.keys(); first !== undefined; [first] = open.keys()) {
      const decided = [...open.keys()].find((index) => typeof blockerOf(index) !== 'number');
      if (decided !== undefined) {
        if (blockerOf(decided) === undefined) write(decided);
        else drop(decided);
        continue;
      }
      const ring = new Set<number>();
      for (let at = first; !ring.has(at); at = blockerOf(at) as number) ring.add(at);
      const wanted = [...ring].map((index) => open.get(index)?.after.gtin);
      if (new Set(wanted).size === wanted.length) for (const index of [...ring]) write(index);
      else drop(first);
    }
    for (const [index, row] of failed.sort(([a], [b]) => a - b)) {
      if (row.after.gtin !== undefined && holderOf(row.after.gtin, row.sku) === undefined) {
        open.set(index, row);
        write(index);
      } else fail(index);
    }
  }

  items(): Record<string, Record<string, string>> {
    const shown = ({ title, gtin }: { title?: string; gtin?: string }) => ({
      ...(title === undefined ? {} : { Title: title }),
      ...(gtin === undefined ? {} : { Gtin: gtin }),
    });
    return Object.fromEntries([...this.#items].map(([sku, item]) => [sku, shown(item)]));
  }

  /** What a row makes of its item, or why it fails by itself. */
  #read(mode: WriteMode, { sku, inCategory, title, gtin }: Row): ModelItem | string {
    const before = this.#items.get(sku);
    if (before === undefined && mode === 'update') return 'SKU_NOT_FOUND';
    if (before !== undefined && mode === 'insert') return 'SKU_EXISTS';
    if (before === undefined && !inCategory) return 'NODE_NOT_FOUND';
    const after = { ...before };
    if (title !== undefined) after.title = title ?? '';
    if (gtin !== undefined) after.gtin = gtin ?? '';
    if (title === null) delete after.title;
    if (gtin === null) delete after.gtin;
    return after;
  }
}

function sameKey({ sku }: Row): (other: Row) => boolean {
  return (other) => other.sku === sku;
}

function sameItem(a: { title?: string; gtin?: string }, b: { title?: string; gtin?: string }): boolean {
  return a.title === b.title && a.gtin === b.gtin;
}

async function carryOut(shop: Shop, { mode, form, rows }: Step): Promise<Outcome> {
  const elements = rows.map(({ sku, inCategory, title, gtin }) => ({
    sku,
    ...(inCategory ? { nodeName: 'Disk' } : {}),
    attributes: { ...(title === undefined ? {} : { Title: title }), ...(gtin === undefined ? {} : { Gtin: gtin }) },
  }));
  switch (form) {
    case 'bulk': {
      const { body } = await shop.bulk(mode, elements, { headers: { prefer: 'wait=0' } });
      return shop.outcome(body.jobId);
    }
    case 'json':
      return shop.importFile('a.json', JSON.stringify(elements), { mode });
    case 'jsonl':
      return shop.importFile('a.jsonl', elements.map((element) => JSON.stringify(element)).join('\n'), { mode });
    case 'csv': {
      const lines = rows.map(({ sku, inCategory, title, gtin }) =>
        [sku, inCategory ? 'Disk' : '', cellOf(title), cellOf(gtin)].join(','),
      );
      return shop.importFile('a.csv', [HEADER.join(','), ...lines].join('\n'), { mode });
    }
  }
}

function cellOf(value: Said): string {
  if (value === undefined) return '';
  if (value === null) return 'NULL';
  return value === 'NULL' ? '\\NULL' : value;
}
