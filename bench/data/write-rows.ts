/** Writes rows of the shop to disk, a part at a time, so that a million of them take no memory. */
import { createWriteStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createXlsxWriter } from '../../src/domain/formats/xlsx/create-xlsx-writer.js';
import { GERMAN_HEADER, germanLine } from './german-form.js';
import { CSV_HEADER, cellsOf, csvLineOf, elementOf, SHEET_HEADER, shopRow } from './shop-rows.js';

const ROWS_PER_WRITE = 5_000;

export function writeCsv(path: string, rows: number): Promise<void> {
  return writeLines(path, rows, `${CSV_HEADER}\n`, (number) => `${csvLineOf(shopRow(number))}\n`);
}

/** The same rows as a German program writes them. */
export function writeGermanCsv(path: string, rows: number): Promise<void> {
  return writeLines(path, rows, GERMAN_HEADER, (number) => germanLine(shopRow(number)));
}

export function writeJsonLines(path: string, rows: number): Promise<void> {
  return writeLines(path, rows, '', (number) => `${JSON.stringify(elementOf(shopRow(number)))}\n`);
}

/** With texts in the cells themselves, as our own exports have them. */
export async function writeWorkbook(path: string, rows: number): Promise<void> {
  const writer = createXlsxWriter(createWriteStream(path, { flush: true }), {
    sheetName: 'Items',
    header: SHEET_HEADER,
  });
  for (let first = 1; first <= rows; first += ROWS_PER_WRITE) {
    const count = Math.min(ROWS_PER_WRITE, rows - first + 1);
    await writer.write(Array.from({ length: count }, (_, index) => cellsOf(shopRow(first + index))));
  }
  await writer.end();
}

/** Writes the bodies of bulk requests. @returns their paths */
export async function writeBodies(folder: string, rows: number, rowsPerBody: number): Promise<string[]> {
  const paths: string[] = [];
  for (let first = 1; first <= rows; first += rowsPerBody) {
    const path = join(folder, `body-${paths.length}.json`);
    await writeFile(path, bulkBody(first, Math.min(rowsPerBody, rows - first + 1)));
    paths.push(path);
  }
  return paths;
}

/** @param first number of the first row @param skuOf undefined: each row has the SKU of its number */
export function bulkBody(first: number, rows: number, skuOf?: (index: number) => string): string {
  const elements = Array.from({ length: rows }, (_, index) => {
    const row = shopRow(first + index);
    return JSON.stringify(elementOf(skuOf === undefined ? row : { ...row, sku: skuOf(index) }));
  });
  return `[${elements.join(',')}]`;
}

/** @param line a line with its end */
async function writeLines<Text extends string | Buffer>(
  path: string,
  rows: number,
  start: Text,
  line: (number: number) => Text,
): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(start);
    for (let first = 1; first <= rows; first += ROWS_PER_WRITE) {
      const lines: Buffer[] = [];
      const last = Math.min(first + ROWS_PER_WRITE - 1, rows);
      for (let number = first; number <= last; number++) lines.push(Buffer.from(line(number)));
      await file.writeFile(Buffer.concat(lines));
    }
    // What the disk still has to write must not fall into what is measured.
    await file.sync();
  } finally {
    await file.close();
  }
}
