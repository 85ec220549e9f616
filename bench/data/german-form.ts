/** The rows of the shop as a German program writes them, and the profile that reads them. */

import { encodeText } from '../../src/domain/formats/text/text-encoding.js';
import type { GivenProfile } from '../world/import-file.js';
import { ATTRIBUTES } from './shop-attributes.js';
import { SHEET_HEADER, type ShopRow } from './shop-rows.js';

const HEADERS: Readonly<Record<string, string>> = {
  ...{ SKU: 'Artikelnummer', 'Category Node': 'Warengruppe', Title: 'Bezeichnung', Description: 'Beschreibung' },
  ...{ Brand: 'Marke', GTIN: 'EAN', 'Part Number': 'Herstellernummer', Price: 'Preis', Weight: 'Gewicht' },
  ...{ Stock: 'Bestand', Warranty: 'Garantie', Fragile: 'Zerbrechlich', Colour: 'Farbe', Released: 'Erschienen' },
};

type Rule = Exclude<GivenProfile, string>['columns'][number];

const STEPS: Readonly<Record<string, NonNullable<Rule['steps']>>> = {
  'Category Node': [{ step: 'path', separator: '>' }],
  Price: [{ step: 'number', decimal: ',', thousands: '.' }],
  Weight: [{ step: 'number', decimal: ',' }],
  Fragile: [{ step: 'boolean', true: ['ja'], false: ['nein'] }],
  Released: [{ step: 'date', formats: ['dd.MM.yyyy'] }],
};

const nameOf = (column: string) => HEADERS[column] ?? column;

export const GERMAN_PROFILE: Exclude<GivenProfile, string> = {
  fileType: 'ITEM_IMPORT',
  format: { encoding: 'windows-1252', delimiter: ';' },
  columns: SHEET_HEADER.map((to) => ({ to, from: nameOf(to), steps: STEPS[to] ?? [] })),
};

export const GERMAN_HEADER = encodeText(`${SHEET_HEADER.map(nameOf).join(';')}\r\n`, 'windows-1252');

/** A row with its line end. */
export function germanLine({ sku, category, values }: ShopRow): Buffer {
  const cells = values.map((value, index) => germanCell(value, ATTRIBUTES[index]?.type ?? 'TEXT'));
  const text = [category.replaceAll('->', ' > '), sku, ...cells].map(quoted).join(';');
  return encodeText(`${text}\r\n`, 'windows-1252');
}

function germanCell(value: string | number | boolean, type: string): string {
  if (typeof value === 'boolean') return value ? 'ja' : 'nein';
  if (type === 'DECIMAL') return written(Number(value));
  return type === 'DATETIME' ? String(value).split('-').reverse().join('.') : String(value);
}

/** `1.950,27` */
function written(value: number): string {
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '.');
  return fraction === undefined ? grouped : `${grouped},${fraction}`;
}

function quoted(cell: string): string {
  return /[;"\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
