/** Opens the reader of a chunk's rows. Only this file imports the readers under `fast`. */
import type { RowReaderName, SourceRows } from '../rows/row-applier.js';
import { FastCsvReader } from './fast/csv-reader.js';
import { FastJsonReader } from './fast/json-reader.js';
import { plainCsvReader, plainJsonReader } from './plain-reader.js';
import type { DraftBuilder } from './read/draft-builder.js';
import type { ItemColumns } from './read/item-columns.js';
import { itemLineReader } from './read/read-item-line.js';
import type { RowReader } from './row-reader.js';

/** What a reader needs besides the rows. */
interface RowContext {
  /** Creates the drafts, and holds their documents. */
  readonly builder: DraftBuilder;
  /** Null: the rows are JSON. */
  readonly columns: ItemColumns | null;
  /** The seed of the rows' hashes: what besides the row itself decides its outcome. */
  readonly seed: number;
}

export function openRowReader(name: RowReaderName, { format, source }: SourceRows, context: RowContext): RowReader {
  const { builder, columns, seed } = context;
  if (source === undefined) throw new Error('rows of items are read from their bytes, and there are none');
  if (format === 'JSON') {
    if (name === 'plain') return plainJsonReader(source, builder, seed);
    return new FastJsonReader(source, builder, seed, itemLineReader(builder, seed));
  }
  if (columns === null) throw new Error('rows of a file cannot be read before its header');
  if (name === 'plain') return plainCsvReader(source, builder, columns, seed);
  return new FastCsvReader(source, builder, columns, seed);
}
