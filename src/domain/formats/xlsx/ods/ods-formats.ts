/** How cells of OpenDocument show their numbers, as far as it tells what the numbers are. */
import type { NumberFormat } from '../read/number-formats.js';

const MOST_DIGITS = 15;

/** By the index that the cells of a row have: numbers with so many digits at least, less one, and then times of day. */
export const ODS_FORMATS: readonly NumberFormat[] = [
  ...Array.from({ length: MOST_DIGITS }, (_, index): NumberFormat => {
    const digits = index + 1;
    return { display: 'number', format: digits === 1 ? 0 : '0'.repeat(digits), digits };
  }),
  { display: 'time', format: 21, digits: 1 },
];

export const GENERAL_FORMAT = 0;
export const TIME_FORMAT = MOST_DIGITS;

/** The index of the format that shows at least so many digits of whole numbers. */
export function formatWithZeros(digits: number): number {
  return Math.min(digits, MOST_DIGITS) - 1;
}
