/** Items of 40 attributes, and files that change three of them. */
import { open } from 'node:fs/promises';
import type { ApiClient } from '../world/api-client.js';

const ATTRIBUTES = Array.from({ length: 40 }, (_, index) => ({
  name: `Wide ${index}`,
  type: index % 4 === 0 ? 'DECIMAL' : 'TEXT',
}));
/** A price, a text and another price. */
const CHANGED = [0, 9, 20];
const CATEGORY = 'Wide';
const ROWS_PER_WRITE = 5_000;

export async function fillWideSite({ typed }: ApiClient): Promise<void> {
  const { failed } = await typed.bulk('createAttributes', ATTRIBUTES as never);
  if (failed.length > 0) throw new Error(`attributes were refused: ${JSON.stringify(failed)}`);
  const { nodeId } = await typed.createCategory({ body: { name: CATEGORY } });
  const itemAttributes = ATTRIBUTES.map(({ name }) => ({ name }));
  await typed.setCategoryAttributes({ body: { nodeId, itemAttributes } });
}

/** All 40 attributes of each item. */
export function writeWideCsv(path: string, rows: number): Promise<void> {
  const indexes = ATTRIBUTES.map((_, index) => index);
  return write(path, rows, indexes, 0, true);
}

/** Three attributes of each item, with values that no other round has. */
export function writeChangesCsv(path: string, rows: number, round: number): Promise<void> {
  return write(path, rows, CHANGED, round, false);
}

async function write(
  path: string,
  rows: number,
  indexes: readonly number[],
  round: number,
  withCategory: boolean,
): Promise<void> {
  const file = await open(path, 'w');
  try {
    const names = indexes.map((index) => ATTRIBUTES[index]?.name);
    await file.writeFile(`${['SKU', ...(withCategory ? ['Category Node'] : []), ...names].join(',')}\n`);
    for (let first = 1; first <= rows; first += ROWS_PER_WRITE) {
      const lines: string[] = [];
      for (let number = first; number < first + ROWS_PER_WRITE && number <= rows; number++) {
        const values = indexes.map((index) => cellText(index, number, round));
        lines.push([`SKU-${number}`, ...(withCategory ? [CATEGORY] : []), ...values].join(','));
      }
      await file.writeFile(`${lines.join('\n')}\n`);
    }
    // What the disk still has to write must not fall into what is measured.
    await file.sync();
  } finally {
    await file.close();
  }
}

function cellText(index: number, number: number, round: number): string {
  if (index % 4 === 0) return `${(number % 9_000) + index}.${10 + (round % 80)}`;
  return `value ${number % 977} of ${index} in round ${round}`;
}
