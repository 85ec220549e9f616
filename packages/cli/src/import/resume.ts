/** Does something with a file, and goes on with what an earlier call has left that was interrupted. */
import { LongshoreError } from '@longshore/client';
import type { Access } from '../access.js';
import type { ImportInput } from '../import-input.js';
import { note } from '../terminal.js';
import { Attempt } from './attempt.js';

interface Done<T> {
  /** To be forgotten when its result was shown. */
  readonly attempt: Attempt;
  readonly result: T;
}

/** @param how what must be the same, for an earlier call to be this one */
export async function goOn<T>(
  input: ImportInput,
  access: Access,
  how: object,
  options: { readonly json?: boolean },
  run: (attempt: Attempt) => Promise<T>,
): Promise<Done<T>> {
  const attempt = Attempt.of(input, access, how);
  if (attempt.isResumed && !options.json) note('An earlier import of this file did not end: it goes on.');
  try {
    return { attempt, result: await run(attempt) };
  } catch (error) {
    if (!isFinal(error, attempt)) throw error;
    attempt.forget();
    // The earlier announcement has expired, or its job was cancelled: this import is a new one.
    if (!attempt.isResumed || ![409, 410].includes(error.status)) throw error;
    return goOn(input, access, how, options, run);
  }
}

/** Whether calling again would be answered the same. A job that exists is not forgotten because a token has expired. */
function isFinal(error: unknown, attempt: Attempt): error is LongshoreError {
  if (!(error instanceof LongshoreError) || error.status < 400 || error.status >= 500) return false;
  if (error.status === 401 || error.status === 403) return !attempt.isAnnounced;
  return error.status !== 408 && error.status !== 429;
}
