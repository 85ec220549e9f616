/** Notes numbers that may be ambiguous where they are read as bytes. */
import type { DraftBuilder } from '../read/draft-builder.js';

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

/**
 * Notes a number that was encoded, if its point may separate thousands: three digits behind it, and up to three before
 * it. `doubt` of the attribute says the same of texts.
 */
export function noteAmbiguous(
  builder: DraftBuilder,
  position: number,
  column: string,
  bytes: Buffer,
  start: number,
  end: number,
): void {
  const point = end - 4;
  if (bytes[point] !== POINT) return;
  const first = bytes[start] === MINUS ? start + 1 : start;
  if (point <= first || point - first > 3 || bytes[first] === ZERO) return;
  builder.notes.note('NUMBER_AMBIGUOUS', column, () => {
    const value = bytes.toString('latin1', start, end);
    return { value, stored: String(builder.rules.attribute(position).fromText(value)) };
  });
}
