/** A file of items with everything in it that makes an import hard to repeat alike, and what must come of it. */
import type { CatalogPlan } from '../http/shop.js';

/** Rows come in blocks of this many, each with the same few that are out of the ordinary. */
const BLOCK = 1_000;
/** A key comes again so many rows later, in another chunk. */
const REPEATED_AFTER = 1_150;
/** A variant's parent stands so many rows further down. */
const PARENT_AHEAD = 7_500;

/** Place in its block of a row that is out of the ordinary. */
const PLACE = { badPrice: 17, ragged: 117, repeated: 217, variant: 317, badCategory: 417 } as const;

export const IMPORT_CATALOG: CatalogPlan = {
  attributes: [
    'Title',
    { name: 'Price', type: 'DECIMAL' },
    { name: 'Stock', type: 'INTEGER' },
    { name: 'Colour', type: 'OPTIONS', options: ['red', 'green', 'blue'] },
  ],
  categories: { 'Storage->Disk': ['Title', 'Price', 'Stock', 'Colour'] },
};

export interface ImportRows {
  readonly csv: Buffer;
  readonly total: number;
  readonly created: number;
  readonly failed: number;
  /** Row number (header = 1) → code, of every row that must fail. */
  readonly errors: ReadonlyMap<number, string>;
}

/** @param count a multiple of 1,000 */
export function importRows(count: number): ImportRows {
  const lines = ['SKU,Category Node,Parent SKU,Title,Price,Stock,Colour'];
  const errors = new Map<number, string>();
  for (let row = 1; row <= count; row++) lines.push(line(row, count, errors));
  return {
    csv: Buffer.from(`${lines.join('\n')}\n`),
    total: count,
    created: count - errors.size,
    failed: errors.size,
    errors,
  };
}

const COLOURS = ['red', 'green', 'blue'];

function line(row: number, count: number, errors: Map<number, string>): string {
  const place = row % BLOCK;
  const fail = (at: number, code: string) => errors.set(at + 1, code);
  const repeats = place === PLACE.repeated && row > REPEATED_AFTER;
  if (repeats) fail(row - REPEATED_AFTER, 'SKU_DUPLICATE_IN_REQUEST');
  const sku = skuOf(repeats ? row - REPEATED_AFTER : row);
  const parent = place === PLACE.variant && row + PARENT_AHEAD <= count ? skuOf(row + PARENT_AHEAD) : '';
  const colour = COLOURS[row % 3] ?? '';
  switch (place) {
    case PLACE.badPrice:
      fail(row, 'VALUE_TYPE');
      return `${sku},Storage->Disk,${parent},Disk ${row},cheap,${row % 90},${colour}`;
    case PLACE.ragged:
      fail(row, 'ROW_FIELD_COUNT');
      return `${sku},Storage->Disk,${parent},Disk ${row}`;
    case PLACE.badCategory:
      fail(row, 'NODE_NOT_FOUND');
      return `${sku},Storage->Disc,${parent},Disk ${row},1.5,${row % 90},${colour}`;
    default:
      return `${sku},Storage->Disk,${parent},"Disk ""${row}""",${row % 500}.25,${row % 90},${colour}`;
  }
}

function skuOf(row: number): string {
  return `SKU-${String(row).padStart(8, '0')}`;
}
