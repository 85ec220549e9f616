/**
 * The fast path of an attribute type: values from the bytes of a cell straight into a document, without a string in
 * between. An encoder accepts only what is plainly valid, and plain ASCII but for options; everything else it leaves to
 * the type's codec, which decides.
 */

/**
 * Writes the canonical JSON of the cell `source[start..end)` at `at`; the cell is not empty.
 * @returns where it ends in `target`, at most end - start + 2 bytes on; NOT_ENCODED: left to the codec
 */
export type ByteEncoder = (source: Buffer, start: number, end: number, target: Buffer, at: number) => number;

export const NOT_ENCODED = -1;

const QUOTE = 0x22;

/** Writes the bytes as they are. @returns where they end in `target` */
export function copyBytes(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  let next = at;
  for (let index = start; index < end; index++) target[next++] = source[index] as number;
  return next;
}

/** Writes the bytes between quotes; they need no escapes. @returns where they end in `target` */
export function copyQuoted(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  target[at] = QUOTE;
  const next = copyBytes(source, start, end, target, at + 1);
  target[next] = QUOTE;
  return next + 1;
}
