/** Declares that random tables go through the whole pipeline: every row is stored exactly as it was written, or reported by its number. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { forEachReader } from '../../support/for-each-reader.js';
import type { Item, RowError, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ATTRIBUTES = ['Title', 'Note'] as const;

/** One row as it is meant, and how it is written. */
interface Row {
  readonly sku: string;
  /** Undefined: the row has another number of cells than the header. */
  readonly cells: readonly [title: string, note: string, stock: string];
  readonly quoted: readonly boolean[];
  readonly surplus: number;
  readonly blankLines: number;
}

interface Table {
  readonly rows: readonly Row[];
  readonly delimiter: string;
  readonly end: string;
  readonly lastEnd: boolean;
  readonly bom: boolean;
  readonly mode: 'upsert' | 'insert';
  readonly form: 'csv' | 'csv.gz' | 'utf16';
}

const character = fc.constantFrom(
  'a',
  'B',
  '0',
  '7',
  ' ',
  ',',
  ';',
  '\t',
  '"',
  '""',
  "'",
  '\n',
  '\r',
  '\r\n',
  '\\',
  'ä',
  'e\u0301',
  '漢',
  '😀',
  '\u00a0',
  '\ufeff',
  '\u2028',
  '=',
  '_',
  '\u0001',
  'NULL',
  '\\NULL',
  '|',
);
const cell = fc.array(character, { maxLength: 6 }).map((parts) => parts.join(''));
const sku = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 9 }).map((n) => `s${n}`) },
  { weight: 2, arbitrary: cell },
);
const row: fc.Arbitrary<Row> = fc.record({
  sku,
  cells: fc.tuple(cell, cell, fc.oneof(fc.integer({ min: -99, max: 99 }).map(String), fc.constant(''), cell)),
  quoted: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  surplus: fc.oneof(
    { weight: 9, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -3, max: 2 }) },
  ),
  blankLines: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
  ),
});
const table: fc.Arbitrary<Table> = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 15 }),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  lastEnd: fc.boolean(),
  bom: fc.boolean(),
  mode: fc.constantFrom('upsert', 'insert'),
  form: fc.constantFrom('csv', 'csv', 'csv.gz', 'utf16'),
});

const HEADER = ['SKU', 'Category Node', ...ATTRIBUTES, 'Stock'];

/** @param runs with each reader */
export function runRandomTables(runs: number): void {
  forEachReader('random tables', (environment) => {
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ workers: true, chunkRows: 3, environment });
      shop = await (await world.newShop()).define({
        attributes: [...ATTRIBUTES, { name: 'Stock', type: 'INTEGER' }],
        categories: { Disk: HEADER.slice(2) },
      });
    });
    after(() => world.stop());

    it('are imported exactly, row by row, or reported by row number; the counts add up', async () => {
      await fc.assert(
        fc.asyncProperty(table, async (given) => {
          const { text, numbers } = written(given);
          const outcome = await shop.importFile(given.form === 'csv.gz' ? 'a.csv.gz' : 'a.csv', bytesOf(text, given), {
            delimiter: given.delimiter,
            mode: given.mode,
          });
          const items = await shop.items();
          await Promise.all(
            ['item', 'item_unique_value'].map((name) => world.db(name).where({ site_id: shop.siteId }).delete()),
          );
          assert.equal(outcome.total, numbers.length);
          compare(given, numbers, outcome.errors, items);
        }),
        { numRuns: runs },
      );
    });
  });
}

/** Looks whether of each row has become what must become of it. */
function compare(given: Table, numbers: readonly number[], errors: readonly RowError[], items: readonly Item[]): void {
  const stored = new Map(items.map((item) => [item.sku, item]));
  const standing = standingRows(given);
  const expected = new Set<string>();
  for (const [index, one] of given.rows.entries()) {
    const number = numbers[index];
    const key = keyOf(one);
    const codes = errors.filter((error) => error.row === number).map(({ code }) => code);
    const due = dueCodes(one, standing.get(key) === index);
    assert.deepEqual(codes, due, `row ${number}`);
    if (due.length > 0) continue;
    expected.add(key);
    assert.deepEqual(stored.get(key)?.attributes, valuesOf(one), `the item of row ${number}`);
  }
  assert.deepEqual(new Set(stored.keys()), expected);
}

/** The codes with which a row must fail; none: it must be stored. */
function dueCodes(one: Row, stands: boolean): string[] {
  if (one.surplus !== 0) return ['ROW_FIELD_COUNT'];
  const faults = isStock(one.cells[2]) ? [] : ['VALUE_TYPE'];
  if (keyOf(one) === '') return ['SKU_REQUIRED', ...faults];
  return stands ? faults : ['SKU_DUPLICATE_IN_REQUEST'];
}

function keyOf({ sku: text }: Row): string {
  return text.trim().normalize('NFC');
}

/** Key → index of the row that counts. */
function standingRows({ rows, mode }: Table): Map<string, number> {
  const standing = new Map<string, number>();
  rows.forEach((one, index) => {
    const key = keyOf(one);
    if (one.surplus !== 0 || key === '' || (mode === 'insert' && standing.has(key))) return;
    standing.set(key, index);
  });
  return standing;
}

function isStock(text: string): boolean {
  return text === '' || text === 'NULL' || /^[+-]?[0-9]{1,15}$/.test(unescaped(text).trim());
}

function valuesOf({ cells: [title, note, stock] }: Row): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of [
    ['Title', title],
    ['Note', note],
  ] as const) {
    if (text !== '' && text !== 'NULL') values[name] = unescaped(text);
  }
  if (stock !== '' && stock !== 'NULL') values.Stock = Number(stock.trim()) + 0;
  return values;
}

function unescaped(text: string): string {
  return text === '\\NULL' || text.startsWith('\\\\') ? text.slice(1) : text;
}

/** The table as text, and the number of each row. */
function written({ rows, delimiter, end, lastEnd }: Table): { text: string; numbers: number[] } {
  const lines = [HEADER.join(delimiter)];
  const numbers: number[] = [];
  for (const one of rows) {
    for (let blank = 0; blank < one.blankLines; blank++) lines.push('');
    const cells = [one.sku, 'Disk', ...one.cells];
    const all = one.surplus < 0 ? cells.slice(0, one.surplus) : [...cells, ...Array(one.surplus).fill('+')];
    lines.push(
      all.map((text, index) => quotedWhereNeeded(text, delimiter, one.quoted[index] === true)).join(delimiter),
    );
    numbers.push(lines.length);
  }
  return { text: lines.join(end) + (lastEnd ? end : ''), numbers };
}

function quotedWhereNeeded(text: string, delimiter: string, always: boolean): string {
  const needed = always || text.startsWith('"') || /[\r\n]/.test(text) || text.includes(delimiter);
  return needed ? `"${text.replaceAll('"', '""')}"` : text;
}

function bytesOf(text: string, { bom, form }: Table): Buffer {
  const marked = bom || form === 'utf16' ? `\ufeff${text}` : text;
  if (form === 'utf16') return Buffer.from(marked, 'utf16le');
  return form === 'csv.gz' ? gzipSync(marked) : Buffer.from(marked);
}
