/** Reads a Parquet file by another implementation than the one that writes ours: that of Apache Arrow in Rust. */
import { tableFromIPC } from 'apache-arrow';
import { readParquet } from 'parquet-wasm';

interface ParquetContent {
  /** `title: type` of each column, in Arrow's words. */
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** @returns its rows; instants are milliseconds since 1970, integers of 64 bits are bigints */
export function parquetContent(bytes: Uint8Array): ParquetContent {
  const table = tableFromIPC(readParquet(bytes).intoIPCStream());
  return {
    columns: table.schema.fields.map(({ name, type }) => `${name}: ${type}`),
    rows: table.toArray().map((row) => row.toJSON()),
  };
}
