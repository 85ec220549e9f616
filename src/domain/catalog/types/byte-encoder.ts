/** Helpers for the byte encoders of attribute types. */
import { QUOTE } from '../../kernel/characters.js';

/** A ByteEncoder returns this for a cell that it leaves to the codec. */
export const NOT_ENCODED = -1;

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
