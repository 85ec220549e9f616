/** Classifies what a step threw: an outage of a part, a missing file, or an internal error. */
import type { Failure } from '../domain/jobs/model/failure.js';
import { within } from '../platform/concurrency/within.js';
import { FileMissing, type FileStore } from '../platform/file-store.js';
import { isOutOfSpace, mayBeOfStatement, outageOf } from '../platform/outage.js';

/** A store that answers later than this is not in order. */
const STORE_ANSWERS_WITHIN_MS = 5_000;

/** @param error what the step threw */
export async function failureOf(
  { fileStore }: { readonly fileStore: FileStore },
  error: unknown,
): Promise<Exclude<Failure, { kind: 'death' }>> {
  if (error instanceof FileMissing) return { kind: 'error', reason: 'FILE_MISSING' };
  const part = outageOf(error);
  if (part === null) return { kind: 'error', reason: 'INTERNAL_ERROR' };
  // The failure of the database is recorded in the database, which answers again by then.
  const blameless = part === 'file store' ? !(await answers(fileStore)) : !mayBeOfStatement(error);
  return { kind: 'outage', part, lasting: isOutOfSpace(error) || blameless };
}

async function answers(fileStore: FileStore): Promise<boolean> {
  let isUp = false;
  const asked = fileStore.ping().then(() => {
    isUp = true;
  });
  await within(asked, STORE_ANSWERS_WITHIN_MS);
  return isUp;
}
