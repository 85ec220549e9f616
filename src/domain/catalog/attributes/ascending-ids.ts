/** Ids of attributes that are created together. */
import { randomBytes } from 'node:crypto';
import { newId } from '../../kernel/identifier.js';

/** Two ids that ascend lie a random number of as many bytes apart, so that nobody else makes the same one. */
const STEP_BYTES = 5;

/**
 * Returns what makes ids of which each sorts after the one before it. Postgres sorts the members of each document by their
 * keys: those of attributes that were created in the order of their columns are in order already.
 */
export function ascendingIds(): () => string {
  let last = BigInt(`0x${newId()}`);
  return () => {
    last += 1n + BigInt(`0x${randomBytes(STEP_BYTES).toString('hex')}`);
    return last.toString(16);
  };
}
