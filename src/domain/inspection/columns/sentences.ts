/** Parts of the sentences in which an inspection gives its reasons. */
import type { Example, Signature } from '../cells/signature.js';

const MAX_QUOTED = 60;

/** A value in quotes, cut if it is long. */
export function quoted(value: string): string {
  const shown = value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value;
  return `"${shown.replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}

/** `"1.950" in row 4`. */
export function inRow({ row, value }: Example): string {
  return `${quoted(value)} in row ${row}`;
}

/** The first cell of a signature: `"1.950" in row 4`. */
export function inCell({ examples }: Signature): string {
  const [first] = examples;
  return first === undefined ? 'a cell' : inRow(first);
}

/** `1 cell`, `2 cells`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
