/** Detects the delimiter of a CSV text from its header. */
import { CR, LF, QUOTE } from '../../kernel/characters.js';

/** The first wins when several are equally frequent. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * The most frequent delimiter outside of quotes in the first line that is not blank; a comma when there is none.
 * @returns complete: whether the line's end was seen.
 */
export function sniffDelimiter(bytes: Buffer, start: number): { delimiter: string; complete: boolean } {
  const counts = new Uint32Array(256);
  let at = start;
  while (bytes[at] === LF || bytes[at] === CR) at += 1;
  let cellStart = true;
  let inQuotes = false;
  let complete = false;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE && (inQuotes || cellStart)) {
      // A doubled quote closes and opens the cell again, which has the same effect.
      inQuotes = !inQuotes;
      cellStart = !inQuotes;
      continue;
    }
    if (inQuotes) continue;
    if (byte === LF || byte === CR) {
      complete = true;
      break;
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
