/** Detects the delimiter of a CSV text from its header, and from the record below where the header leaves a choice. */
import { CR, LF } from '../../kernel/characters.js';
import { type CsvQuote, quoteByteOf } from './csv-quote.js';

/** The first wins when several are equally frequent. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** So many records below the header are looked at where it has several delimiters: some of them end early. */
const MOST_BELOW = 10;

/**
 * The most frequent delimiter outside of quotes in a record; a comma when there is none. If there are several, as in
 * `SKU;Size, cm;Weight, kg`, that is preferred which most of the next
 * records have as often.
 * @param before how many records come before it; null: it is the first that is not blank
 * @returns complete: whether the end of what decides was seen.
 */
export function sniffDelimiter(
  bytes: Buffer,
  start: number,
  quote: CsvQuote = '"',
  before: number | null = null,
): { delimiter: string; complete: boolean } {
  let at = before === null ? afterBlankLines(bytes, start) : start;
  for (let skipped = 0; skipped < (before ?? 0); skipped += 1)
    at = countDelimiters(bytes, at, quote).next ?? bytes.length;
  const header = countDelimiters(bytes, at, quote);
  const present = DELIMITERS.filter((delimiter) => countOf(header, delimiter) > 0);
  const [only] = present;
  if (header.next === null || present.length < 2) {
    return { delimiter: only === undefined ? ',' : mostFrequent(header, present), complete: header.next !== null };
  }
  // How many records of those below have as many of it as the header.
  const alike = new Map(present.map((delimiter) => [delimiter, 0]));
  let next: number | null = header.next;
  for (let seen = 0; seen < MOST_BELOW && next !== null; seen += 1) {
    const below = countDelimiters(bytes, afterBlankLines(bytes, next), quote);
    next = below.next;
    if (next === null && !hasAny(below)) break;
    for (const delimiter of present)
      if (countOf(below, delimiter) === countOf(header, delimiter))
        alike.set(delimiter, (alike.get(delimiter) as number) + 1);
  }
  const most = Math.max(...alike.values());
  const delimiter = mostFrequent(
    header,
    present.filter((each) => alike.get(each) === most),
  );
  return { delimiter, complete: next !== null };
}

interface Counted {
  readonly counts: Uint32Array;
  /** Where the next record begins; null: the end of this one was not seen. */
  readonly next: number | null;
}

/** Counts the delimiters of a record that are outside of quotes. */
function countDelimiters(bytes: Buffer, start: number, quote: CsvQuote): Counted {
  const quoteByte = quoteByteOf(quote);
  const counts = new Uint32Array(256);
  let cellStart = true;
  let inQuotes = false;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === quoteByte && (inQuotes || cellStart)) {
      // A doubled quote closes and opens the cell again, which has the same effect.
      inQuotes = !inQuotes;
      cellStart = !inQuotes;
      continue;
    }
    if (inQuotes) continue;
    if (byte === LF || byte === CR) return { counts, next: at + (byte === CR && bytes[at + 1] === LF ? 2 : 1) };
    cellStart = MAY_DELIMIT[byte] === 1;
    if (cellStart) counts[byte] = (counts[byte] as number) + 1;
  }
  return { counts, next: null };
}

function hasAny({ counts }: Counted): boolean {
  return counts.some((count) => count > 0);
}

function afterBlankLines(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === LF || bytes[at] === CR) at += 1;
  return at;
}

function mostFrequent(counted: Counted, among: readonly string[]): string {
  const [first = ','] = among;
  return among.reduce((best, each) => (countOf(counted, each) > countOf(counted, best) ? each : best), first);
}

export const MAY_DELIMIT = new Uint8Array(256);

function countOf({ counts }: Counted, delimiter: string): number {
  return counts[delimiter.charCodeAt(0)] ?? 0;
}
