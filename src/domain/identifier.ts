/** Identifiers: 24 lowercase hex characters everywhere a client sees one. */
import { randomBytes } from 'node:crypto';

const ID_PATTERN = /^[0-9a-f]{24}$/;

/** A new identifier: seconds since 1970 (4 bytes), then 8 random bytes, so that ids sort roughly by age. */
export function newId(): string {
  const seconds = Math.floor(Date.now() / 1000)
    .toString(16)
    .padStart(8, '0');
  return seconds + randomBytes(8).toString('hex');
}

/** Whether a text has the shape of an identifier. */
export function isId(text: string): boolean {
  return ID_PATTERN.test(text);
}

/** The id of an item, made of its site and row number so that no second index is paid for. */
export function itemId(siteId: number, rowNo: bigint | number | string): string {
  return siteId.toString(16).padStart(8, '0') + BigInt(rowNo).toString(16).padStart(16, '0');
}

/** The row number inside an item's id; null when the id is malformed or belongs to another site. */
export function itemRowNo(siteId: number, id: string): bigint | null {
  if (!isId(id) || Number.parseInt(id.slice(0, 8), 16) !== siteId) return null;
  return BigInt(`0x${id.slice(8)}`);
}
