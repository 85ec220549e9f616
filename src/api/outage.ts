/** Distinguishes an outage of something we depend on (the client may try again) from a fault of ours. */
import { codeOf } from '../platform/error-code.js';
import { outageOf } from '../platform/outage.js';

/** SQLSTATE: resources and time limits of a statement, a lost race: what a client may try again, besides an outage. */
const SQL_STATES = /^(53...|25P04|57014|40001|40P01)$/;

/** Whether an error means that the database or the file store cannot serve now. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (outageOf(error) !== null || SQL_STATES.test(codeOf(error))) return true;
  return error.name === 'DBError' && 'nativeError' in error && isOutage(error.nativeError);
}

/** Text that Postgres cannot store (NUL, unpaired surrogates). It came from the client, and no check has refused it. */
export function isUnstorableText(error: unknown): boolean {
  const code = codeOf(error);
  return code === '22021' || code === '22P05';
}
