/** The German shop of the examples: its file, the catalog that it fits, and a profile that maps the one to the other. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Profile, profileSchema } from '../../../src/domain/profiles/model/profile.js';
import type { Shop } from '../http/shop.js';

/** A mistake that is planted in the file: its row as spreadsheets count. */
interface Mistake {
  readonly row: number;
  readonly column: string;
  readonly value: string;
}

interface ShopFile {
  readonly bytes: Buffer;
  /** The cells of the header and of each row. */
  readonly lines: readonly (readonly string[])[];
  readonly mistakes: readonly Mistake[];
}

const NUMBER = { step: 'number', decimal: ',', thousands: '.' };
const DATE = { step: 'date', formats: ['dd.MM.yyyy'] };
const WORDS = { step: 'boolean', true: ['ja'], false: ['nein'] };
const unit = (name: string) => ({ step: 'removeUnit', units: [name] });

/** Our attribute, its type, the column of the file, and the steps. */
const COLUMNS: readonly (readonly [name: string, type: string, from: string, steps: readonly object[]])[] = [
  ['Title', 'TEXT', 'Bezeichnung', []],
  ['Description', 'TEXT', 'Beschreibung', [{ step: 'stripHtml' }]],
  ['Brand', 'TEXT', 'Marke', []],
  ['EAN Code', 'TEXT', 'EAN', []],
  ['Price', 'DECIMAL', 'Preis', [NUMBER]],
  ['List Price', 'DECIMAL', 'UVP', [NUMBER]],
  ['Stock', 'INTEGER', 'Bestand', [NUMBER]],
  ['Listed', 'BOOLEAN', 'Aktiv', [WORDS]],
  ['Released', 'DATETIME', 'Erscheinungsdatum', [DATE]],
  ['Valid Until', 'DATETIME', 'Preis gültig bis', [DATE]],
  ['Weight', 'DECIMAL', 'Gewicht', [unit('kg'), NUMBER]],
  ['Length', 'DECIMAL', 'Länge', [unit('cm'), NUMBER]],
  ['Keywords', 'TEXT', 'Schlagworte', [{ step: 'list', separator: '|' }]],
  ['Image', 'URL', 'Bild-URL', []],
];
const CATEGORIES = [
  ...['E-Bikes', 'Rennräder', 'Kinderräder'].map((name) => `Fahrräder->${name}`),
  ...['Helme', 'Schlösser', 'Beleuchtung'].map((name) => `Zubehör->${name}`),
  ...['Bremsen', 'Sättel'].map((name) => `Teile->${name}`),
];

/** The profile for the file of the shop. @param over members in place of its own */
export function germanProfile(over: Readonly<Record<string, unknown>> = {}): Profile {
  return profileSchema.parse({
    fileType: 'ITEM_IMPORT',
    format: { encoding: 'windows-1252', delimiter: ';' },
    columns: [
      { to: 'SKU', from: 'Artikelnummer' },
      { to: 'Category Node', from: 'Kategorie', steps: [{ step: 'path', separator: '>' }] },
      ...COLUMNS.map(([to, , from, steps]) => ({ to, from, steps })),
    ],
    unknownColumns: 'ignore',
    ...over,
  });
}

/** Defines the attributes and the categories that the profile fills. */
export function defineGermanShop(shop: Shop): Promise<Shop> {
  const attributes = COLUMNS.map(([name, type]) => ({ name, type }));
  const names = COLUMNS.map(([name]) => name);
  return shop.define({ attributes, categories: Object.fromEntries(CATEGORIES.map((path) => [path, names])) });
}

/** The file of the shop, as `node examples/shop-file.mjs de` writes it. */
export async function germanFile(rows: number): Promise<ShopFile> {
  const generator = await import(pathToFileURL(resolve('examples/generator/shop-files.mjs')).href);
  return generator.shopFile('de', rows);
}
