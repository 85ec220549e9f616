/** Compares answers of the API with what is expected. */
import { isDeepStrictEqual } from 'node:util';

/** An answer differs from what is expected: the demo exits with 1. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

/** @throws Mismatch with the expected and the found value */
export function expectEqual(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Mismatch(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}
