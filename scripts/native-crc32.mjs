/**
 * Takes the place of the package buffer-crc32 in bundles: yazl sums up whatever is compressed, which took a tenth of an
 * export of a workbook in JavaScript.
 */
import { crc32 } from 'node:zlib';

/** @param previous the sum of what comes before */
export function unsigned(bytes, previous = 0) {
  return crc32(bytes, previous);
}
