/** The rows of the shop: row number n is the same in every run and every format. */
import type { Cell } from '../../src/domain/formats/xlsx/cell.js';
import { ATTRIBUTES, BRANDS, CATEGORIES, COLOURS, ROOT_CATEGORY } from './shop-attributes.js';

/** Values in the order of `ATTRIBUTES`, as JSON has them. */
export interface ShopRow {
  readonly sku: string;
  /** Path of its category. */
  readonly category: string;
  readonly values: readonly (string | number | boolean)[];
}

const NOUNS = ['Drill', 'Cable', 'Lamp', 'Bracket', 'Sensor', 'Hinge', 'Pump', 'Router', 'Valve', 'Switch'];
const KINDS = ['compact', 'heavy-duty', 'indoor', 'outdoor', 'cordless', 'sealed', 'modular', 'slim', 'wide', 'silent'];
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2005, 0, 1);

/** @param number from 1 */
export function shopRow(number: number): ShopRow {
  const random = generator(number);
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const noun = pick(NOUNS);
  const kind = pick(KINDS);
  return {
    sku: `SKU-${String(number).padStart(8, '0')}`,
    category: `${ROOT_CATEGORY}->${pick(CATEGORIES)}`,
    values: [
      `${noun} ${kind} ${100 + random(900)}`,
      description(noun, kind, random),
      pick(BRANDS),
      String(random(10_000_000)).padStart(7, '0') + String(random(1_000_000)).padStart(6, '0'),
      `MP-${random(1_000_000).toString(36).toUpperCase()}-${random(100)}`,
      (1 + random(9_999_900)) / 100,
      (1 + random(50_000)) / 1000,
      random(5000),
      12 * random(6),
      random(4) === 0,
      pick(COLOURS),
      new Date(FIRST_DAY + random(7300) * DAY_MS).toISOString().slice(0, 10),
    ],
  };
}

/** As in a real file: one in four needs quotes for its comma, one in 64 holds quotes, one in 256 a line end. */
function description(noun: string, kind: string, random: (below: number) => number): string {
  const start = `A ${kind} ${noun.toLowerCase()} for workshop and home`;
  const chance = random(256);
  if (chance === 0) return `${start}.\nSold in pairs.`;
  if (chance < 5) return `${start}, 1/2" fitting`;
  if (chance < 64) return `${start}, with mounting kit`;
  if (chance < 80) return `${start} – geprüft für Außenbereiche`;
  return `${start} with mounting kit`;
}

/** As POST /api-product/v1/product/bulk/insert and JSON Lines files take it. */
export function elementOf({ sku, category, values }: ShopRow): object {
  const attributes = Object.fromEntries(ATTRIBUTES.map(({ name }, index) => [name, values[index]]));
  return { sku, nodeName: category, attributes };
}

export const SHEET_HEADER = ['Category Node', 'SKU', ...ATTRIBUTES.map(({ name }) => name)];
export const CSV_HEADER = SHEET_HEADER.join(',');

/** The row of a sheet: dates are dates there. */
export function cellsOf({ sku, category, values }: ShopRow): Cell[] {
  const cells = values.map((value, index) => (isDay(index) ? { date: String(value) } : value));
  return [category, sku, ...cells];
}

function isDay(index: number): boolean {
  return ATTRIBUTES[index]?.type === 'DATETIME';
}

/** Without its line end. */
export function csvLineOf({ sku, category, values }: ShopRow): string {
  let line = `${category},${sku}`;
  for (const value of values) line += `,${typeof value === 'string' ? quoted(value) : value}`;
  return line;
}

function quoted(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Mulberry32, seeded by the row's number. */
function generator(seed: number): (below: number) => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}
