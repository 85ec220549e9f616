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

export async function shopFileOf(shop: ShopName, rows: number): Promise<ShopFile> {
  const at = (name: string) => pathToFileURL(resolve(`examples/generator/${name}.mjs`)).href;
  if (shop === 'xlsx') return (await import(at('shop-workbook'))).shopWorkbook(rows);
  return (await import(at('shop-files'))).shopFile(shop, rows);
}
