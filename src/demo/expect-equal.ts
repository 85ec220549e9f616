/** Holds what the API says against what must be so. */
import { isDeepStrictEqual } from 'node:util';

/** Something is not as it must be: the demo ends with 1. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

/** @throws Mismatch naming what, what was expected, and what was found */
export function expectEqual(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Mismatch(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}
