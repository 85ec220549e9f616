/** The file of what a comparison has found: a line for each definition that differs, then one for each item. */

import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileStore } from '../../../platform/file-store.js';
import { storeFile } from '../../../platform/store-file.js';
import type { RevertRow } from '../reverts/revert-row.js';
import { jsonLinesOf } from '../rows/json-lines-of.js';
import type { DefinitionDifference } from './definition-differences.js';

export type Difference = { readonly definition: DefinitionDifference } | { readonly item: RevertRow };

/** @throws the signal's reason when it is aborted; nothing is kept in that case */
export async function writeDifferences(
  fileStore: FileStore,
  key: string,
  found: AsyncIterable<Difference>,
  signal: AbortSignal,
): Promise<void> {
  await storeFile(fileStore, key, (stream) => pipeline(Readable.from(jsonLinesOf(found)), stream, { signal }));
}

export async function* readDifferences(fileStore: FileStore, key: string): AsyncGenerator<Difference> {
  const input = Readable.from(await fileStore.read(key));
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) if (line !== '') yield JSON.parse(line);
}
