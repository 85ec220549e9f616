/** The values of a binary COPY, as Postgres receives them. Each function returns where the value ends. */

/** What a binary COPY begins with: its signature, no flags, and no extension. */
export const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** What it ends with, in place of a number of columns. */
export const TRAILER = Buffer.from([0xff, 0xff]);

/** The length of NULL. */
const NULL = -1;
const INTEGER_OID = 23;
/** The size of one element of an array of integers, in bytes. */
export const BYTES_OF_ELEMENT = 8;

export function putNull(target: Buffer, at: number): number {
  return putInt32(target, at, NULL);
}

/** A value that is an array of integers, with its length. */
export function putIntegers(target: Buffer, start: number, integers: readonly number[]): number {
  const dimensions = integers.length === 0 ? 0 : 1;
  let at = putInt32(target, start + 4, dimensions);
  at = putInt32(target, at, 0);
  at = putInt32(target, at, INTEGER_OID);
  if (dimensions > 0) {
    at = putInt32(target, at, integers.length);
    at = putInt32(target, at, 1);
  }
  for (const integer of integers) at = putInteger(target, at, integer);
  putInt32(target, start, at - start - 4);
  return at;
}

/** A value that is a text, with its length. */
export function putText(target: Buffer, at: number, text: string): number {
  const end = putCharacters(target, at + 4, text);
  putInt32(target, at, end - at - 4);
  return end;
}

/** A value that is an integer, with its length. */
export function putInteger(target: Buffer, at: number, value: number): number {
  return putInt32(target, putInt32(target, at, 4), value);
}

/** The lower 32 bits of an integer. */
export function putInt32(target: Buffer, at: number, value: number): number {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
  return at + 4;
}

/** A few bytes: a call of `copy` takes longer than this loop. */
export function putBytes(target: Buffer, at: number, bytes: Buffer): number {
  for (let index = 0; index < bytes.length; index++) target[at + index] = bytes[index] as number;
  return at + bytes.length;
}

/**
 * Writes a text. ASCII, the usual case, is copied here, which costs less than calling the encoder.
 * @returns where it ends
 */
export function putCharacters(target: Buffer, at: number, text: string): number {
  let next = at;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) return at + target.write(text, at);
    target[next++] = code;
  }
  return next;
}
