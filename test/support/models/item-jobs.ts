/** Random jobs of items, as arbitraries: rows in every mode and format, and what befalls the job. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { CatalogPlan, Shop } from '../http/shop.js';
import type { Mode, OracleRow, OracleRules } from './catalog-oracle.js';
import { workbookOf } from './written-workbook.js';

const FORMS = ['csv', 'csv.gz', 'tsv', 'xlsx', 'json', 'json.gz', 'jsonl', 'jsonl.gz', 'bulk'] as const;

/** What happens while the job runs. */
type Fate =
  | { readonly kind: 'undisturbed' }
  /** Its worker loses the database for good at a message. */
  | { readonly kind: 'crash'; readonly at: number; readonly lose: 'unsent' | 'unanswered' }
  /** It is cancelled when so many rows are decided; -1: at once. */
  | { readonly kind: 'cancel'; readonly after: number };

export interface ItemJob {
  readonly mode: Mode;
  readonly form: (typeof FORMS)[number];
  readonly content: 'ITEM_IMPORT' | 'BUNDLE_IMPORT';
  readonly onError: 'skip' | 'abort';
  readonly validateOnly: boolean;
  readonly fate: Fate;
  /** The channel of its context. */
  readonly channel: number | null;
  readonly rows: readonly OracleRow[];
}

/** A request that deletes items. */
export interface Deletion extends Pick<ItemJob, 'onError' | 'validateOnly' | 'fate' | 'channel'> {
  readonly skus: readonly string[];
}

const ATTRIBUTES = ['Fabric', 'Gtin', 'Isbn', 'Price'] as const;

/** Which rules a site has besides. */
export interface SiteKind {
  readonly unique: boolean;
  readonly inheritable: boolean;
}

export function rulesOf({ unique, inheritable }: SiteKind): OracleRules {
  return {
    categories: { Kits: ['Fabric', 'Gtin', 'Price'], Books: [...ATTRIBUTES] },
    mandatory: { Kits: ['Fabric'] },
    alternates: { Summer: true, 'Summer->Sale': false, Gifts: false },
    required: ['Isbn'],
    inheritable: inheritable ? ['Fabric', 'Isbn'] : [],
    ...(unique ? { unique: 'Gtin' } : {}),
    accepts: (attribute, value) => attribute !== 'Price' || /^\d+(\.\d+)?$/.test(value),
  };
}

export function catalogOf({ unique, inheritable }: SiteKind): CatalogPlan {
  return {
    attributes: [
      { name: 'Fabric', type: 'TEXT', validation: { inheritable } },
      { name: 'Gtin', type: 'TEXT', validation: { unique } },
      { name: 'Isbn', type: 'TEXT', validation: { inheritable, required: true } },
      { name: 'Price', type: 'DECIMAL' },
    ],
    categories: { Kits: ['Fabric!', 'Gtin', 'Price'], Books: ['Fabric', 'Gtin', 'Isbn', 'Price'] },
  };
}

/** Makes the alternate categories of `rulesOf`. */
export async function defineAlternates(shop: Shop): Promise<Shop> {
  const make = (body: object) => shop.ask('POST', '/api-category/v1/category', { body });
  const { nodeId: parentNodeId } = await make({ name: 'Summer', type: 'ALTERNATE' });
  await make({ name: 'Sale', parentNodeId });
  await make({ name: 'Gifts', type: 'ALTERNATE' });
  return shop;
}

const known = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const sku = fc.oneof({ weight: 30, arbitrary: known }, { weight: 1, arbitrary: fc.constantFrom('', 'NULL') });
const named = fc.oneof({ weight: 14, arbitrary: known }, { weight: 1, arbitrary: fc.constant('nobody') });
const held = fc.uniqueArray(fc.record({ sku: named, quantity: fc.integer({ min: 1, max: 3 }) }), {
  maxLength: 3,
  selector: (component) => component.sku,
});
const category = fc.oneof(
  { weight: 9, arbitrary: fc.constant('Kits') },
  { weight: 4, arbitrary: fc.constant('Books') },
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant('Nowhere') },
);

/** Undefined, more often than not: the row says nothing of it. */
function said(weight: number, ...choices: (string | null)[]): fc.Arbitrary<string | null | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight, arbitrary: fc.constantFrom(...choices) });
}

const values = fc.record({
  Fabric: said(5, 'wool', 'silk', 'NULL', '\\x', null),
  Gtin: said(7, '1', '2', '3', '1', '2', null),
  Isbn: said(3, 'i1', 'i2', null),
  Price: said(2, '1.5', '2', '1.5', 'cheap', null),
});
const link: fc.Arbitrary<Partial<OracleRow>> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: fc.record({ parentSku: fc.oneof({ weight: 9, arbitrary: named }, fc.constant(null)) }) },
  { weight: 1, arbitrary: fc.constant({ detach: true as const }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('ITEM' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('BUNDLE' as const), bundleItems: fc.option(held, { freq: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('BUNDLE' as const) }) },
  { weight: 1, arbitrary: fc.record({ bundleItems: held }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('BUNDLE' as const), parentSku: named }) },
);
const shelf = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('Summer->Sale', 'Gifts') },
  { weight: 1, arbitrary: fc.constantFrom('Summer', 'Winter') },
);
const memberships: fc.Arbitrary<Partial<OracleRow>> = fc.oneof(
  { weight: 7, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.record({ alternates: fc.uniqueArray(shelf, { minLength: 1, maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.constantFrom<Partial<OracleRow>>({ alternates: null }, { channels: null }) },
  { weight: 1, arbitrary: fc.constantFrom<Partial<OracleRow>>({ channels: [1] }, { channels: [1, 4] }) },
);
const row: fc.Arbitrary<OracleRow> = fc
  .tuple(sku, category, values, link, fc.integer({ min: 0, max: 40 }), memberships)
  // Plain objects, without what is undefined.
  .map((parts) => {
    const [one, where, some, refers, chance, member] = parts;
    const ragged = chance === 0 ? true : undefined;
    return JSON.parse(JSON.stringify({ sku: one, category: where, values: some, ...refers, ...member, ragged }));
  });

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 10, arbitrary: fc.constant({ kind: 'undisturbed' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      at: fc.integer({ min: 1, max: 90 }),
      lose: fc.constantFrom('unsent', 'unanswered'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), after: fc.integer({ min: -1, max: 14 }) }),
  },
);

const channel = fc.constantFrom(null, null, null, 1, 4);
const onError = fc.constantFrom<ItemJob['onError'][]>('skip', 'skip', 'skip', 'abort');
const validateOnly = fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0);

/** A crashed one is sent without a channel. */
export const deletion: fc.Arbitrary<Deletion> = fc
  .record({
    onError,
    validateOnly,
    fate: fate.filter(({ kind }) => kind !== 'cancel'),
    channel,
    skus: fc.array(fc.oneof({ weight: 9, arbitrary: named }, sku), { minLength: 1, maxLength: 6 }),
  })
  .map((job) => (job.fate.kind === 'undisturbed' ? job : { ...job, channel: null }));

export const itemJob: fc.Arbitrary<ItemJob> = fc
  .record({
    mode: fc.constantFrom<Mode[]>('upsert', 'upsert', 'upsert', 'insert', 'update'),
    form: fc.constantFrom(...FORMS),
    content: fc.constantFrom('ITEM_IMPORT', 'ITEM_IMPORT', 'BUNDLE_IMPORT'),
    onError,
    validateOnly,
    fate,
    channel,
    rows: fc.array(row, { minLength: 1, maxLength: 14 }),
  })
  .map(expressible);

/** What the format can say of a job. */
function expressible(job: ItemJob): ItemJob {
  const content = job.form === 'bulk' || job.fate.kind !== 'undisturbed' ? 'ITEM_IMPORT' : job.content;
  const rows = job.rows.map((one) => (isTable(job.form) ? inTable(one, job.form, content) : inElement(one, content)));
  // What is accepted without a request has no context.
  return { ...job, content, rows, channel: job.fate.kind === 'undisturbed' ? job.channel : null };
}

function inElement({ ragged: _, ...row }: OracleRow, content: ItemJob['content']): OracleRow {
  return content === 'BUNDLE_IMPORT' ? { type: 'BUNDLE', ...row } : row;
}

/** Tables of items have no column for the type or the items of bundles, those of bundles none for a parent. */
function inTable(row: OracleRow, form: ItemJob['form'], content: ItemJob['content']): OracleRow {
  const { type: _type, bundleItems, parentSku, detach, ragged, ...rest } = row;
  // A row of empty cells is skipped.
  const filled = rest.sku === '' ? { ...rest, category: 'Kits' } : rest;
  const ends = ragged === true && form !== 'xlsx' ? { ragged } : {};
  if (content === 'BUNDLE_IMPORT') {
    const holds = bundleItems === undefined ? {} : { bundleItems: bundleItems?.length === 0 ? null : bundleItems };
    return { ...filled, ...ends, type: 'BUNDLE', ...holds };
  }
  const parent = parentSku !== undefined ? { parentSku } : detach === true ? { detach } : {};
  return { ...filled, ...ends, ...parent };
}

function isTable(form: ItemJob['form']): boolean {
  return /csv|tsv|xlsx/.test(form);
}

/** The number that messages give the row with this index. */
export function rowNumber({ form }: ItemJob, index: number): number {
  return isTable(form) ? index + 2 : index + 1;
}

/** The elements of the job's rows. */
export function elementsOf({ rows, content, form }: ItemJob): unknown[] {
  return rows.map(({ category: nodeName, values: given, type, alternates, ...rest }) => ({
    ...rest,
    ...(alternates === undefined ? {} : { alternateCategories: alternates }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(type === undefined || (type === 'BUNDLE' && content === 'BUNDLE_IMPORT') ? {} : { type }),
    ...(form === 'bulk'
      ? { attributeValues: Object.entries(given).map(([name, value]) => ({ name, value })) }
      : { attributes: given }),
  }));
}

/** The file of a job. */
export async function fileOf(job: ItemJob): Promise<{ readonly name: string; readonly content: Buffer }> {
  const name = `items.${job.form}`;
  const content = await contentOf(job);
  return { name, content: name.endsWith('.gz') ? gzipSync(content) : content };
}

async function contentOf(job: ItemJob): Promise<Buffer> {
  if (!isTable(job.form)) {
    const lines = elementsOf(job).map((element) => JSON.stringify(element));
    return Buffer.from(job.form.startsWith('jsonl') ? lines.join('\n') : `[${lines.join(',\n')}]`);
  }
  const ofBundles = job.content === 'BUNDLE_IMPORT';
  const linkColumn = ofBundles ? 'Items' : 'Parent SKU';
  const header = ['SKU', 'Category Node', linkColumn, 'Alternate Categories', 'Channels', ...ATTRIBUTES];
  const rows = job.rows.map((one) => {
    const linked = ofBundles ? itemsCell(one) : one.detach === true ? 'detach' : cellOf(one.parentSku);
    const members = [listCell(one.alternates), listCell(one.channels)];
    const given = ATTRIBUTES.map((attribute) => cellOf(one.values[attribute]));
    return [one.sku, one.category ?? '', linked, ...members, ...given];
  });
  if (job.form === 'xlsx') return workbookOf(header, rows);
  const lines = rows.map((cells, index) => (job.rows[index]?.ragged ? cells.slice(0, -2) : cells));
  return Buffer.from([header, ...lines].map((cells) => cells.join(job.form === 'tsv' ? '\t' : ',')).join('\n'));
}

function cellOf(value: string | null | undefined): string {
  if (value === undefined) return '';
  if (value === null) return 'NULL';
  return value === 'NULL' ? '\\NULL' : value;
}

function listCell(list: readonly (string | number)[] | null | undefined): string {
  if (list === undefined) return '';
  return list === null ? 'NULL' : list.join(';');
}

function itemsCell({ bundleItems }: OracleRow): string {
  if (bundleItems === undefined) return '';
  return bundleItems === null ? 'NULL' : bundleItems.map((one) => `${one.sku}:${one.quantity}`).join(';');
}
