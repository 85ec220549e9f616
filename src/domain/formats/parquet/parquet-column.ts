/** The columns of a Parquet file: what their values are, and how they are read from the text that Postgres writes. */
import type { SchemaElement } from 'hyparquet-writer';

/** `integer` has 64 bits, `number` is a double, and `instant` has milliseconds in UTC. */
export type ParquetType = 'text' | 'integer' | 'number' | 'boolean' | 'instant';

export interface ParquetColumn {
  readonly title: string;
  readonly type: ParquetType;
}

type ParquetValue = string | bigint | number | boolean | Date | null;

/** How a type is stored: every column may be empty. */
const STORED: Readonly<Record<ParquetType, Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  instant: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

/** The schema of a file, its root first. */
export function schemaOf(columns: readonly ParquetColumn[]): SchemaElement[] {
  const leaves = columns.map(({ title, type }) => ({
    name: title,
    repetition_type: 'OPTIONAL' as const,
    ...STORED[type],
  }));
  return [{ name: 'items', num_children: columns.length }, ...leaves];
}

/** Reads the canonical text of a value. */
export const READERS: Readonly<Record<ParquetType, (text: string) => ParquetValue>> = {
  text: (text) => text,
  integer: (text) => BigInt(text),
  number: (text) => Number(text),
  boolean: (text) => text === 'true',
  instant: (text) => new Date(text),
};

/** Decimals of up to fifteen digits come back from a double as they were. */
const EXACT_DIGITS = 15;

/** Whether a double does not hold the decimal number of a text in canonical form. */
export function isRounded(text: string): boolean {
  if (text.length <= EXACT_DIGITS) return false;
  const digits = text.replace(/^-/, '').replace('.', '').replace(/^0+/, '');
  // Trailing zeros of a whole number are no digits that could be lost; a canonical fraction has none.
  return digits.replace(/0+$/, '').length > EXACT_DIGITS || !Number.isFinite(Number(text));
}
