/** Random jobs of a stage: of its attributes, its categories and its items, and files that create what is missing. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Shop } from '../http/shop.js';

interface AttributeElement {
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly name: string;
  /** The name that an UPDATE gives it. */
  readonly renamed: string | undefined;
  readonly type: string;
  readonly options: readonly string[];
  readonly description: string | undefined;
  readonly unique: boolean | undefined;
  readonly mapping: 'title' | null | undefined;
}

interface CategoryElement {
  readonly path: string;
  readonly type: 'PRIMARY' | 'ALTERNATE';
  readonly order: number | undefined;
  readonly active: boolean | undefined;
  readonly itemAttributes: readonly { readonly name: string; readonly mandatory: boolean }[] | undefined;
}

interface ItemRow {
  readonly sku: string;
  readonly nodeName: string | undefined;
  readonly values: Readonly<Record<string, string | null | undefined>>;
  readonly parentSku: string | undefined;
}

export type StageJob =
  | { readonly of: 'attributes'; readonly elements: readonly AttributeElement[] }
  | { readonly of: 'categories'; readonly elements: readonly CategoryElement[] }
  | { readonly of: 'items'; readonly rows: readonly ItemRow[] }
  | { readonly of: 'deletions'; readonly skus: readonly string[] }
  | { readonly of: 'missing'; readonly rows: readonly ItemRow[]; readonly names: readonly string[] };

const NAMES = ['Colour', 'Title', 'Weight', 'Gtin'] as const;
const PATHS = ['Disk', 'Tape', 'Tape->Wide', 'Tape->Wide->Old', 'Paper'] as const;
const SHELVES = ['Sale', 'Sale->Winter'] as const;
const SKUS = ['a', 'b', 'c', 'd', 'e'] as const;

/** Undefined, more often than not. */
function maybe<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 1 });
}

const attribute: fc.Arbitrary<AttributeElement> = fc.record({
  action: fc.constantFrom('CREATE', 'CREATE', 'UPDATE', 'DELETE'),
  name: fc.constantFrom(...NAMES),
  renamed: fc.constantFrom(undefined, undefined, undefined, ...NAMES),
  type: fc.constantFrom('TEXT', 'TEXT', 'INTEGER', 'OPTIONS', 'SERIAL'),
  options: fc.uniqueArray(fc.constantFrom('1', '2', '3', '4'), { minLength: 1, maxLength: 4 }),
  description: maybe(fc.constantFrom('One', 'Two')),
  unique: maybe(fc.boolean()),
  mapping: fc.constantFrom(undefined, undefined, undefined, 'title', null),
});
const category: fc.Arbitrary<CategoryElement> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      path: fc.constantFrom(...PATHS),
      type: fc.constant('PRIMARY' as const),
      order: maybe(fc.integer({ min: 0, max: 3 })),
      active: maybe(fc.boolean()),
      itemAttributes: maybe(
        fc.uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), mandatory: fc.boolean() }), {
          maxLength: 4,
          selector: ({ name }) => name,
        }),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      path: fc.constantFrom(...SHELVES),
      type: fc.constant('ALTERNATE' as const),
      order: maybe(fc.integer({ min: 0, max: 3 })),
      active: fc.constant(undefined),
      itemAttributes: fc.constant(undefined),
    }),
  },
);
const value = fc.constantFrom(undefined, undefined, '1', '2', '3', null);
const row: fc.Arbitrary<ItemRow> = fc.record({
  sku: fc.constantFrom(...SKUS),
  nodeName: fc.constantFrom(undefined, ...PATHS),
  values: fc.record({ Colour: value, Title: value, Weight: value, Gtin: value }),
  parentSku: maybe(fc.constantFrom(...SKUS)),
});
const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 5, selector: ({ sku }) => sku });

export const stageJob: fc.Arbitrary<StageJob> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      of: fc.constant('attributes' as const),
      elements: fc.array(attribute, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      of: fc.constant('categories' as const),
      elements: fc.uniqueArray(category, { minLength: 1, maxLength: 6, selector: ({ path }) => path }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ of: fc.constant('items' as const), rows }) },
  {
    weight: 2,
    arbitrary: fc.record({
      of: fc.constant('deletions' as const),
      skus: fc.uniqueArray(fc.constantFrom(...SKUS), { minLength: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      of: fc.constant('missing' as const),
      rows,
      names: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
    }),
  },
);

/** Waits for the end of the job, however it ends. @returns its id */
export async function carryOutOnStage(shop: Shop, job: StageJob): Promise<string> {
  const id = await send(shop, job);
  await shop.outcome(id);
  return id;
}

async function send(shop: Shop, job: StageJob): Promise<string> {
  switch (job.of) {
    case 'attributes':
      return accepted(shop, '/api-product/v1/product/attribute/bulk', await elementsOf(shop, job.elements));
    case 'categories':
      return accepted(shop, '/api-category/v1/category/bulk/upsert', job.elements);
    case 'items':
      return accepted(shop, '/api-product/v1/product/bulk/upsert', job.rows.map(itemOf));
    case 'deletions':
      return accepted(shop, '/api-product/v1/product/bulk/delete', { skus: job.skus });
    case 'missing':
      return sendMissing(shop, job);
  }
}

async function accepted(shop: Shop, path: string, body: unknown): Promise<string> {
  const answer = await shop.post(path, body, { headers: { prefer: 'wait=0' } });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.jobId;
}

async function elementsOf(shop: Shop, elements: readonly AttributeElement[]): Promise<object[]> {
  const { data } = await shop.ask('GET', '/api-product/v1/product/attribute?limit=100');
  const ids = new Map(data.map(({ name, id }: { name: string; id: string }) => [name, id]));
  return elements.map(({ action, name, renamed, type, options, description, unique, mapping }) => {
    if (action === 'DELETE') return { action, name };
    const id = ids.get(name);
    const isRenamed = action === 'UPDATE' && renamed !== undefined && id !== undefined;
    const named = isRenamed ? { id, name: renamed } : { name };
    const fields = {
      ...(description === undefined ? {} : { description }),
      ...(unique === undefined || type === 'SERIAL' ? {} : { validation: { unique } }),
      ...(mapping === undefined || (mapping === null && action === 'CREATE') ? {} : { mapping }),
    };
    if (action === 'UPDATE') return { action, ...named, ...fields };
    return { action, ...named, type, ...(type === 'OPTIONS' ? { options } : {}), ...fields };
  });
}

function itemOf({ sku, nodeName, values, parentSku }: ItemRow): object {
  return { sku, nodeName, parentSku, attributes: values };
}

/** A file whose rows are of one category with attributes, all of which are created where they are missing. */
async function sendMissing(shop: Shop, job: Extract<StageJob, { of: 'missing' }>): Promise<string> {
  const leaves = ['Disk', 'Tape->Wide->Old', 'Paper'];
  const lines = job.rows.map(({ sku, values }, nth) =>
    [sku, leaves[nth % leaves.length], ...job.names.map((name) => values[name] ?? '')].join(','),
  );
  const file = await shop.hold([['SKU', 'Category Node', ...job.names].join(','), ...lines].join('\n'));
  const missing = {
    attributes: job.names.map((name) => ({ name, type: 'TEXT' })),
    options: [],
    categories: leaves,
    assignments: leaves.map((path) => ({ category: path, attributes: job.names })),
  };
  const createMissing = { attributes: true, options: true, categories: true, assignments: true };
  const { status, text } = await shop.importHeld(file, { createMissing, missing, options: { onError: 'skip' } });
  assert.equal(status, 202, text);
  return file.jobId;
}
