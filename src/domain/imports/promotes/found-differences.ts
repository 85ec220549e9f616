/** The file of what a comparison has found: a line for each definition that differs, then one for each item. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileStore } from '../../../platform/file-store.js';
import type { RevertRow } from '../reverts/revert-row.js';
import type { DefinitionDifference } from './definition-differences.js';

export type Difference = { readonly definition: DefinitionDifference } | { readonly item: RevertRow };

/** How many characters are written at once. */
const PIECE_CHARACTERS = 64 * 1024;

/** @throws the signal's reason when it is aborted; nothing is kept in that case */
export async function writeDifferences(
  fileStore: FileStore,
  key: string,
  found: AsyncIterable<Difference>,
  signal: AbortSignal,
): Promise<void> {
  const pending = await fileStore.create(key);
  try {
    await pipeline(Readable.from(piecesOf(found)), pending.stream, { signal });
    await pending.commit();
  } catch (error) {
    await pending.discard();
    throw error;
  }
}

async function* piecesOf(found: AsyncIterable<Difference>): AsyncGenerator<string> {
  let piece = '';
  for await (const one of found) {
    piece += `${JSON.stringify(one)}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

export async function* readDifferences(fileStore: FileStore, key: string): AsyncGenerator<Difference> {
  const input = Readable.from(await fileStore.read(key));
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) if (line !== '') yield JSON.parse(line);
}
