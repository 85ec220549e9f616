/** Which bytes of a file a Range header asks for (RFC 9110 §14.1.2). */

/** Bytes [start, end). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * @returns null: the whole file, because there is no header or it may be ignored (several ranges, another unit,
 * malformed); `unsatisfiable`: the range contains no byte of the file
 */
export function byteRange(header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  if (last !== '' && Number(last) < Number(first)) return null;
  if (Number(first) >= size) return 'unsatisfiable';
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
