/** Detects the delimiter of a CSV text from its header. */
import { CR, LF } from '../../kernel/characters.js';
import { type CsvQuote, quoteByteOf } from './csv-quote.js';

/** The first wins when several are equally frequent. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * The most frequent delimiter outside of quotes in a record; a comma when there is none.
 * @param before how many records come before it; null: it is the first that is not blank
 * @returns complete: whether the record's end was seen.
 */
export function sniffDelimiter(
  bytes: Buffer,
  start: number,
  quote: CsvQuote = '"',
  before: number | null = null,
): { delimiter: string; complete: boolean } {
  const quoteByte = quoteByteOf(quote);
  const counts = new Uint32Array(256);
  let at = start;
  let toSkip = before ?? 0;
  if (before === null) while (bytes[at] === LF || bytes[at] === CR) at += 1;
  let cellStart = true;
  let inQuotes = false;
  let complete = false;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === quoteByte && (inQuotes || cellStart)) {
      // A doubled quote closes and opens the cell again, which has the same effect.
      inQuotes = !inQuotes;
      cellStart = !inQuotes;
      continue;
    }
    if (inQuotes) continue;
    if (byte === LF || byte === CR) {
      complete = toSkip === 0;
      if (complete) break;
      toSkip -= 1;
      counts.fill(0);
      cellStart = true;
      if (byte === CR && bytes[at + 1] === LF) at += 1;
      continue;
    }
    cellStart = MAY_DELIMIT[byte] === 1;
    if (cellStart) counts[byte] = (counts[byte] as number) + 1;
  }
  let delimiter: string = ',';
  for (const candidate of DELIMITERS) {
    if (countOf(counts, candidate) > countOf(counts, delimiter)) delimiter = candidate;
  }
  return { delimiter, complete };
}

export const MAY_DELIMIT = new Uint8Array(256);

function countOf(counts: Uint32Array, delimiter: string): number {
  return counts[delimiter.charCodeAt(0)] ?? 0;
}
