/** Identifiers: clients always see 24 lowercase hex characters. */
import { randomBytes } from 'node:crypto';

const ID_PATTERN = /^[0-9a-f]{24}$/;

/** Returns a new identifier: seconds since 1970 (4 bytes), then 8 random bytes, so that ids sort roughly by age. */
export function newId(): string {
  return secondsOf(Date.now()) + randomBytes(8).toString('hex');
}

/** Returns a text that sorts before every identifier of that second and later, and after all earlier ones. */
export function firstIdOf(instant: Date): string {
  return secondsOf(instant.getTime());
}

function secondsOf(epochMs: number): string {
  return Math.floor(epochMs / 1000)
    .toString(16)
    .padStart(8, '0');
}

/** Whether a text has the shape of an identifier. */
export function isId(text: string): boolean {
  return ID_PATTERN.test(text);
}

/** Returns the id of an item: it consists of its site and row number, so that no second index is needed. */
export function itemId(siteId: number, rowNo: bigint | number | string): string {
  return siteId.toString(16).padStart(8, '0') + BigInt(rowNo).toString(16).padStart(16, '0');
}

/** Returns the row number in an item's id; null when the id is malformed or belongs to another site. */
export function itemRowNo(siteId: number, id: string): bigint | null {
  if (!isId(id) || Number.parseInt(id.slice(0, 8), 16) !== siteId) return null;
  return BigInt(`0x${id.slice(8)}`);
}
