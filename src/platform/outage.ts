/** Tells an outage of a part that the system depends on from every other failure: the one place that decides this. */
import { codeOf } from './error-code.js';

/** The part that does not serve now. */
type FailedPart = 'database' | 'file store' | 'queue';

/** SQLSTATE: a connection that cannot be made or was lost, a full or failing disk, a standby, a shutdown. */
const DATABASE_STATES = /^(08...|53000|53100|53300|25006|25P03|57P0[1-5]|58030)$/;

/** SQLSTATE: a protocol violation, a transaction that idled for too long, a disk that cannot be read. */
const STATES_OF_STATEMENTS = /^(08P01|25P03|58030)$/;
/** A session that a statement crashes ends so: other sessions end with a message of the database (57P02). */
const SESSION_ENDED =
  /(?:^| - )(?:Connection terminated(?: unexpectedly)?|Client has encountered a connection error and is not queryable)$/;
const CONNECTION_LOST = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT']);

/** Messages of pg and its pool that have no code. Knex puts the statement and a dash before them. */
const DATABASE_MESSAGES =
  /(?:^| - )(?:Connection terminated(?: unexpectedly| due to connection timeout)?|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error and is not queryable)$/;

/** Errors of ioredis, which have no code. */
const QUEUE_MESSAGES =
  /^(?:Connection is closed\.|Command timed out|Stream isn't writeable and enableOfflineQueue options is false|the queue is unreachable|the queue did not answer in time)$/;

/** Errors of connections. The database is the only part whose connections fail the work itself. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EPIPE',
]);

/** Errors of a file store: of its disk, its mount, or its service. */
const STORE_CODES = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'ESTALE',
  'ENOTCONN',
  'ENODEV',
  'ENXIO',
  'EACCES',
  'EPERM',
  // The folder of the file store was replaced by something else, or what it is mounted on was.
  'ENOTDIR',
  'EEXIST',
  'EMFILE',
  'ENFILE',
  'STORE_UNAVAILABLE',
  'STORE_FULL',
  'STORE_TIMEOUT',
]);

/** HTTP statuses by which a service says that it cannot serve now. */
const UNAVAILABLE_STATUSES: ReadonlySet<unknown> = new Set([502, 503, 504]);

/**
 * Returns the part whose outage an error shows; null for every other error. An object that is missing from a store that
 * answers is no outage, and neither is a statement that the database refuses.
 */
export function outageOf(error: unknown): FailedPart | null {
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  if (STORE_CODES.has(code) || error.name === 'TimeoutError' || answersUnavailable(error)) return 'file store';
  if (NETWORK_CODES.has(code) || DATABASE_STATES.test(code) || error.name === 'KnexTimeoutError') return 'database';
  if (error.name === 'MaxRetriesPerRequestError') return 'queue';
  // Errors of the database itself have a code; their messages may quote what a client sent and are not searched.
  if (code === '' && DATABASE_MESSAGES.test(error.message)) return 'database';
  if (code === '' && QUEUE_MESSAGES.test(error.message)) return 'queue';
  return outageOfParts(error);
}

/** Whether the error says that there is no room: a small write that succeeds does not disprove this. */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/^(ENOSPC|EDQUOT|53100|STORE_FULL)$/.test(codeOf(error))) return true;
  return error.name === 'DBError' && 'nativeError' in error && isOutOfSpace(error.nativeError);
}

/**
 * Whether an outage of the database may be the fault of the statement that met it, which crashes its session. A connection that cannot be made, a limit of sessions, or a shutdown is nobody's fault.
 */
export function mayBeOfStatement(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (STATES_OF_STATEMENTS.test(code) || (code === '' && SESSION_ENDED.test(error.message))) return true;
  if (CONNECTION_LOST.has(code)) return !('syscall' in error && error.syscall === 'connect');
  return error.name === 'DBError' && 'nativeError' in error && mayBeOfStatement(error.nativeError);
}

function outageOfParts(error: Error): FailedPart | null {
  // Node tries every address of a host and reports all failures together.
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  for (const part of parts) {
    const outage = outageOf(part);
    if (outage !== null) return outage;
  }
  // Objection's models wrap the driver's error.
  return error.name === 'DBError' && 'nativeError' in error ? outageOf(error.nativeError) : null;
}

function answersUnavailable(error: Error): boolean {
  const status = 'statusCode' in error ? error.statusCode : undefined;
  return UNAVAILABLE_STATUSES.has(status);
}
