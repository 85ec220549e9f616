/** A file in many small chunks in which rows decide over others, far away: what a whole import must report like any other. */
import type { CatalogPlan } from '../http/shop.js';

export const WHOLE_CATALOG: CatalogPlan = {
  attributes: [
    'Title',
    { name: 'Price', type: 'DECIMAL' },
    { name: 'Code', type: 'TEXT', validation: { unique: true } },
    { name: 'Number', type: 'SERIAL' },
  ],
  categories: { Disk: ['Title', 'Price', 'Code', 'Number'], Tape: ['Title'] },
};

/** In the site before the file comes. */
export const STORED = [
  { sku: 'old-1', nodeName: 'Disk', attributes: { Title: 'Old', Code: 'held' } },
  { sku: 'old-2', nodeName: 'Disk', attributes: { Title: 'Same' } },
  { sku: 'old-3', nodeName: 'Disk', attributes: { Title: 'Old', Price: 3 } },
];

export interface FileRow {
  readonly sku: string;
  readonly nodeName?: string;
  readonly parentSku?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Rows that are all good, for an upsert of the stored ones. */
export const GOOD: readonly FileRow[] = [
  { sku: 'variant-1', nodeName: 'Disk', parentSku: 'parent', attributes: { Title: 'V1' } },
  { sku: 'old-1', nodeName: 'Disk', attributes: { Title: 'New', Code: 'free' } },
  { sku: 'old-2', nodeName: 'Disk', attributes: { Title: 'Same' } },
  ...Array.from({ length: 12 }, (_, at) => ({
    sku: `new-${at}`,
    nodeName: 'Disk',
    attributes: { Title: `N "${at}"`, Price: `${at}.5`, Code: `code-${at}` },
  })),
  // What old-1 has given up two chunks before.
  { sku: 'heir', nodeName: 'Disk', attributes: { Code: 'held' } },
  { sku: 'old-3', attributes: { Price: '4' } },
  { sku: 'variant-2', nodeName: 'Disk', parentSku: 'parent', attributes: { Title: 'V2' } },
  { sku: 'parent', nodeName: 'Disk', attributes: { Title: 'P' } },
];

/** The same with rows that cannot be applied, whatever the mode. */
export const MIXED: readonly FileRow[] = [
  { sku: 'new-3', nodeName: 'Disk', attributes: { Title: 'comes again' } },
  { sku: 'late', nodeName: 'Disk', attributes: { Code: 'code-11' } },
  ...GOOD,
  { sku: 'thief', nodeName: 'Disk', attributes: { Code: 'code-0' } },
  { sku: 'cheap', nodeName: 'Disk', attributes: { Price: 'cheap' } },
  { sku: 'nowhere', nodeName: 'Elsewhere', attributes: {} },
  { sku: 'orphan', nodeName: 'Disk', parentSku: 'nobody', attributes: {} },
  { sku: 'grandchild', nodeName: 'Disk', parentSku: 'variant-1', attributes: {} },
  { sku: '', nodeName: 'Disk', attributes: { Title: 'nameless' } },
  { sku: 'old-2', nodeName: 'Tape', attributes: { Price: '1' } },
];

const bundle = (sku: string, ...components: readonly string[]) => ({
  ...{ sku, type: 'BUNDLE', nodeName: 'Disk', attributes: { Title: sku } },
  bundleItems: components.map((component) => ({ sku: component, quantity: 2 })),
});

/** Bundles of bundles that stand later, one in a circle, one of what is nowhere. */
export const BUNDLES: readonly unknown[] = [
  bundle('outer', 'inner', 'new-1'),
  bundle('inner', 'innermost', 'old-1'),
  ...GOOD,
  bundle('innermost', 'new-7', 'variant-1'),
  bundle('snake', 'tail'),
  bundle('tail', 'snake'),
  bundle('hollow', 'nowhere'),
];

const COLUMNS = ['Title', 'Price', 'Code'];

export function asCsv(rows: readonly FileRow[]): string {
  const lines = rows.map(({ sku, nodeName = '', parentSku = '', attributes }) =>
    [sku, nodeName, parentSku, ...COLUMNS.map((name) => attributes[name] ?? '')].map(quoted).join(','),
  );
  return `${['SKU', 'Category Node', 'Parent SKU', ...COLUMNS].join(',')}\n${lines.join('\n')}\n`;
}

export function asJsonLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
