/** The export of the German shop of the examples, and the same rows as an import takes them without a profile. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTable } from '../../src/domain/formats/table/open-table.js';
import { fileInput } from '../world/file-input.js';

const PROGRAM = new URL('../../../examples/shop-file.mjs', import.meta.url);
/** The category of all its items, and its parent. */
export const SHOP_CATEGORY = ['Shop', 'All'] as const;

export interface ShopFile {
  /** As the shop writes it: semicolons, windows-1252, decimal commas. */
  readonly inspected: string;
  /** UTF-8 with commas; each column is a text, which is the least work for an import. */
  readonly imported: string;
  /** The names of the texts. */
  readonly attributes: readonly string[];
}

export async function writeShopFile(folder: string, rows: number): Promise<ShopFile> {
  const inspected = join(folder, 'de-shop.csv');
  const imported = join(folder, 'de-shop-items.csv');
  await writeExample(inspected, rows);
  const table = await openTable(fileInput(folder, 'de-shop.csv'), { encoding: 'windows-1252', delimiter: ';' });
  const names = table.names.map((name) => `Shop ${name}`);
  const file = await open(imported, 'w');
  try {
    await file.write(`${lineOf(['Category Node', 'SKU', ...names])}\n`);
    for await (const batch of table.batches) {
      await file.write(
        batch.map(({ row, cells }) => `${lineOf([SHOP_CATEGORY.join('->'), `SKU-${row}`, ...cells])}\n`).join(''),
      );
    }
    // What the disk still has to write must not fall into what is measured.
    await file.sync();
  } finally {
    await file.close();
  }
  return { inspected, imported, attributes: names };
}

async function writeExample(path: string, rows: number): Promise<void> {
  const file = await open(path, 'w');
  try {
    const child = spawn(process.execPath, [fileURLToPath(PROGRAM), 'de', String(rows)], {
      stdio: ['ignore', file.fd, 'ignore'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the shop's file could not be written: its program ended with ${code}`);
  } finally {
    await file.close();
  }
}

function lineOf(cells: readonly string[]): string {
  return cells.map((cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
}
