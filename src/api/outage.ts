/** Tells an outage of what we depend on (try again later) from a fault of ours. */

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  // The disk of the file store.
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'EMFILE',
  'ENFILE',
]);

/** SQLSTATE: connection exceptions, insufficient resources, operator intervention (shutdown), a lost race. */
const SQL_STATES = /^(08...|53...|57P0[1-5]|40001|40P01)$/;

/** What pg and its pool say without a code; knex puts the statement and a dash before it. */
const MESSAGES =
  /(?:^| - )(?:Connection terminated(?: unexpectedly| due to connection timeout)?|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error and is not queryable)$/;

/** Whether an error means that the database or the file store cannot serve now. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (SYSTEM_CODES.has(code) || SQL_STATES.test(code) || error.name === 'KnexTimeoutError') return true;
  // What the database itself says has a code, and may quote what a client sent.
  if (code === '' && MESSAGES.test(error.message)) return true;
  // Node tries every address of a host and reports them together.
  if (error instanceof AggregateError) return error.errors.some(isOutage);
  return error.name === 'DBError' && 'nativeError' in error && isOutage(error.nativeError);
}

/** Text that Postgres cannot hold (NUL, half a surrogate pair): the client's, wherever it slipped through. */
export function isUnstorableText(error: unknown): boolean {
  const code = error instanceof Error ? codeOf(error) : '';
  return code === '22021' || code === '22P05';
}

/** Whether a job, or another request, held for too long what a request would have changed. */
export function isLockedOut(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return codeOf(error) === '55P03' || ('nativeError' in error && isLockedOut(error.nativeError));
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
