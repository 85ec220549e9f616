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
  readonly inheritable: boolean | undefined;
  /** Whether an UPDATE gives it the type. */
  readonly isRetyped: boolean;
  readonly mapping: 'title' | null | undefined;
}

interface CategoryElement {
  readonly path: string;
  readonly type: 'PRIMARY' | 'ALTERNATE';
  readonly order: number | undefined;
  readonly active: boolean | undefined;
  readonly itemAttributes: readonly { readonly name: string; readonly mandatory: boolean }[] | undefined;
}

export interface ItemRow {
  readonly sku: string;
  readonly nodeName: string | undefined;
  readonly values: Readonly<Record<string, string | number | null | undefined>>;
  readonly parentSku: string | null | undefined;
  /** What it holds, which makes it a bundle. */
  readonly bundleItems: readonly { readonly sku: string; readonly quantity: number }[] | undefined;
  readonly alternateCategories: readonly string[] | undefined;
  readonly channels: readonly number[] | null | undefined;
}

export type PlainJob =
  | { readonly of: 'attributes'; readonly elements: readonly AttributeElement[] }
  | { readonly of: 'categories'; readonly elements: readonly CategoryElement[] }
  | {
      readonly of: 'items';
      readonly rows: readonly ItemRow[];
      readonly mode: 'upsert' | 'insert' | 'update';
      readonly onError: 'skip' | 'abort';
    }
  | { readonly of: 'deletions'; readonly skus: readonly string[] }
  | { readonly of: 'missing'; readonly rows: readonly ItemRow[]; readonly names: readonly string[] };

const NAMES = ['Colour', 'Title', 'Weight', 'Gtin'] as const;
export const PATHS = ['Disk', 'Tape', 'Tape->Wide', 'Tape->Wide->Old', 'Paper'] as const;
/** Those that hold items, once all of them are there. */
const LEAVES = ['Disk', 'Tape->Wide->Old', 'Paper'] as const;
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
  inheritable: maybe(fc.boolean()),
  isRetyped: fc.boolean(),
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
const value = fc.constantFrom(undefined, undefined, '1', '2', '3', '1', '2', 2, null);
const row: fc.Arbitrary<ItemRow> = fc
  .record({
    sku: fc.constantFrom(...SKUS),
    nodeName: fc.constantFrom(undefined, undefined, ...LEAVES, ...LEAVES, ...PATHS),
    values: fc.record({ Colour: value, Title: value, Weight: value, Gtin: value }),
    parentSku: fc.constantFrom(undefined, undefined, undefined, undefined, null, ...SKUS),
    bundleItems: fc.option(
      fc.uniqueArray(fc.record({ sku: fc.constantFrom(...SKUS), quantity: fc.integer({ min: 1, max: 2 }) }), {
        minLength: 1,
        maxLength: 2,
        selector: ({ sku }) => sku,
      }),
      { nil: undefined, freq: 5 },
    ),
    alternateCategories: fc.option(fc.uniqueArray(fc.constantFrom(...SHELVES), { maxLength: 2 }), {
      nil: undefined,
      freq: 4,
    }),
    channels: fc.constantFrom(undefined, undefined, undefined, undefined, [1], [1, 2], null),
  })
  // A bundle is no variant.
  .map((one) => ({ ...one, parentSku: one.bundleItems === undefined ? one.parentSku : undefined }));
export const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 5, selector: ({ sku }) => sku });

export const plainJob: fc.Arbitrary<PlainJob> = fc.oneof(
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
  {
    weight: 3,
    arbitrary: fc.record({
      of: fc.constant('items' as const),
      rows,
      mode: fc.constantFrom('upsert', 'upsert', 'upsert', 'insert', 'update'),
      onError: fc.constantFrom('skip', 'skip', 'abort'),
    }),
  },
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

/** Values of an attribute are cleared, it gets another type, and items get values of this. */
export const retypingJobs: fc.Arbitrary<PlainJob[]> = fc
  .record({
    name: fc.constantFrom('Title', 'Weight', 'Gtin'),
    type: fc.constantFrom('INTEGER', 'OPTIONS'),
    given: fc.uniqueArray(fc.record({ sku: fc.constantFrom(...SKUS), value: fc.constantFrom('1', '2', '3') }), {
      minLength: 1,
      selector: ({ sku }) => sku,
    }),
  })
  .map(({ name, type, given }) => {
    const cleared = SKUS.map((sku) => ({ sku, value: null }));
    const element: AttributeElement = {
      ...{ action: 'UPDATE', name, type, isRetyped: true, options: ['1', '2', '3'], renamed: undefined },
      ...{ description: undefined, unique: undefined, inheritable: undefined, mapping: undefined },
    };
    return [valuesOf(name, cleared), { of: 'attributes', elements: [element] }, valuesOf(name, given)];
  });

function valuesOf(name: string, given: readonly { readonly sku: string; readonly value: string | null }[]): PlainJob {
  const rest = { nodeName: undefined, parentSku: undefined, bundleItems: undefined };
  return {
    of: 'items',
    rows: given.map(({ sku, value: one }) => ({
      ...{ sku, values: { [name]: one }, alternateCategories: undefined, channels: undefined },
      ...rest,
    })),
    mode: 'update',
    onError: 'skip',
  };
}

/** @returns the id of the job */
export async function sendPlain(shop: Shop, job: PlainJob): Promise<string> {
  switch (job.of) {
    case 'attributes':
      return accepted(shop, '/api-product/v1/product/attribute/bulk', await elementsOf(shop, job.elements));
    case 'categories':
      return accepted(shop, '/api-category/v1/category/bulk/upsert', job.elements);
    case 'items':
      return accepted(shop, `/api-product/v1/product/bulk/${job.mode}?onError=${job.onError}`, job.rows.map(itemOf));
    case 'deletions':
      return accepted(shop, '/api-product/v1/product/bulk/delete', { skus: job.skus });
    case 'missing':
      return sendMissing(shop, job);
  }
}

export async function accepted(shop: Shop, path: string, body: unknown): Promise<string> {
  const answer = await shop.post(path, body, { headers: { prefer: 'wait=0' } });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.jobId;
}

async function elementsOf(shop: Shop, elements: readonly AttributeElement[]): Promise<object[]> {
  const { data } = await shop.ask('GET', '/api-product/v1/product/attribute?limit=100');
  const ids = new Map(data.map(({ name, id }: { name: string; id: string }) => [name, id]));
  return elements.map(({ action, name, renamed, type, options, description, unique, mapping, ...given }) => {
    if (action === 'DELETE') return { action, name };
    const id = ids.get(name);
    const isRenamed = action === 'UPDATE' && renamed !== undefined && id !== undefined;
    const named = isRenamed ? { id, name: renamed } : { name };
    const fields = {
      ...(description === undefined ? {} : { description }),
      ...(type === 'SERIAL' ? {} : { validation: { unique, inheritable: given.inheritable } }),
      ...(mapping === undefined || (mapping === null && action === 'CREATE') ? {} : { mapping }),
    };
    const typed = { type, ...(type === 'OPTIONS' ? { options } : {}) };
    if (action === 'UPDATE' && !given.isRetyped) return { action, ...named, ...fields };
    return { action, ...named, ...typed, ...fields };
  });
}

/** The element of a row. */
export function itemOf({ values, bundleItems, ...row }: ItemRow): object {
  return { ...row, ...(bundleItems === undefined ? {} : { type: 'BUNDLE', bundleItems }), attributes: values };
}

/** A file whose rows are of one category with attributes, all of which are created where they are missing. */
async function sendMissing(shop: Shop, job: Extract<PlainJob, { of: 'missing' }>): Promise<string> {
  const lines = job.rows.map(({ sku, values }, nth) =>
    [sku, LEAVES[nth % LEAVES.length], ...job.names.map((name) => values[name] ?? '')].join(','),
  );
  const file = await shop.hold([['SKU', 'Category Node', ...job.names].join(','), ...lines].join('\n'));
  const missing = {
    attributes: job.names.map((name) => ({ name, type: 'TEXT' })),
    options: [],
    categories: LEAVES,
    assignments: LEAVES.map((path) => ({ category: path, attributes: job.names })),
  };
  const createMissing = { attributes: true, options: true, categories: true, assignments: true };
  const { status, text } = await shop.importHeld(file, { createMissing, missing, options: { onError: 'skip' } });
  assert.equal(status, 202, text);
  return file.jobId;
}

/** Fills an empty stage, so that most rows have a place. */
export async function fillStage(shop: Shop): Promise<void> {
  const names = NAMES.map((name) => ({ name, type: 'TEXT' }));
  const itemAttributes = NAMES.map((name, nth) => ({ name, mandatory: nth === 0 }));
  const element = (values: ItemRow['values'], nth: number) => ({
    ...{ sku: SKUS[nth], nodeName: LEAVES[nth % LEAVES.length], attributes: values },
    ...(nth === 1 ? { parentSku: SKUS[0] } : {}),
  });
  const items = [{ Colour: '1', Gtin: '1' }, { Title: '2' }, { Colour: '2', Weight: '3' }, { Gtin: '2' }].map(element);
  const bundle = { sku: 'e', nodeName: 'Paper', type: 'BUNDLE', bundleItems: [{ sku: 'b', quantity: 1 }] };
  for (const [path, elements] of [
    ['/api-product/v1/product/attribute/bulk', names],
    [
      '/api-category/v1/category/bulk/upsert',
      [...PATHS, ...SHELVES].map((one) => categoryElement(one, itemAttributes)),
    ],
    ['/api-product/v1/product/bulk/upsert', [...items, bundle]],
  ] as const) {
    const { errors } = await shop.outcome(await accepted(shop, path, elements));
    assert.deepEqual(errors, []);
  }
}

function categoryElement(path: string, itemAttributes: readonly object[]): object {
  if ((SHELVES as readonly string[]).includes(path)) return { path, type: 'ALTERNATE' };
  return { path, ...((LEAVES as readonly string[]).includes(path) ? { itemAttributes } : {}) };
}
