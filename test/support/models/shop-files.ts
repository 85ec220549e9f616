/** The exports of shops that the examples write: five countries, and a spreadsheet. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface ShopFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly lines: readonly (readonly unknown[])[];
  /** What is wrong in the file: the row as spreadsheets count, the column, and the text of the cell. */
  readonly mistakes: readonly { readonly row: number; readonly column: string; readonly value: string }[];
}

export const SHOP_FILES = ['de', 'fr', 'us', 'pl', 'ja', 'xlsx'] as const;
type ShopName = (typeof SHOP_FILES)[number];

/** @param options of the files of countries; `offers` adds a column of days that can be read in two ways */
export async function shopFileOf(shop: ShopName, rows: number, options?: { offers: boolean }): Promise<ShopFile> {
  const at = (name: string) => pathToFileURL(resolve(`examples/generator/${name}.mjs`)).href;
  if (shop === 'xlsx') return (await import(at('shop-workbook'))).shopWorkbook(rows);
  return (await import(at('shop-files'))).shopFile(shop, rows, options);
}

/** What corrects each kind of mistake of the German file, by the column. A row without an article number needs one besides. */
export const GERMAN_CORRECTIONS: Readonly<Record<string, string>> = {
  Preis: '1.950,27',
  UVP: '1.950,27',
  Erscheinungsdatum: '28.02.2026',
  'Preis gültig bis': '28.02.2026',
  Aktiv: 'nein',
  Gewicht: '12,5 kg',
  Bestand: '9',
  'Bild-URL': 'https://img.example.com/none.jpg',
};
