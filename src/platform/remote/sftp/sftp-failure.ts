/** The errors with which servers answer calls of SFTP. */
import { RemoteFailure } from '../remote-folder.js';

export const END_OF_FILE = 1;
export const NO_SUCH_FILE = 2;
const PERMISSION_DENIED = 3;
export const FAILURE = 4;
const NOT_CONNECTED = [6, 7];
const UNSUPPORTED = 8;

/** The number of a status; undefined: the server has not answered with one. */
export function statusOf(error: unknown): number | undefined {
  const cause: unknown = error instanceof RemoteFailure ? error.cause : error;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number' ? cause.code : undefined;
}

/** @param what was called */
export function sftpFailure(error: Error, what: string): RemoteFailure {
  const status = statusOf(error);
  if (status === NO_SUCH_FILE)
    return new RemoteFailure('NOT_FOUND', `the server has no such file: ${what}`, { cause: error });
  if (status === PERMISSION_DENIED) {
    const message = `the server does not allow this to the user of the connection: ${what}`;
    return new RemoteFailure('NOT_ALLOWED', message, { cause: error });
  }
  if (status === UNSUPPORTED)
    return new RemoteFailure('NOT_SUPPORTED', `the server cannot do this: ${what}`, { cause: error });
  if (status === FAILURE) {
    const message = `the server has failed, and does not say why: ${what}; it may have no room, or the folder may be a file`;
    return new RemoteFailure('NOT_ALLOWED', message, { cause: error });
  }
  if (status === undefined || NOT_CONNECTED.includes(status)) {
    return new RemoteFailure('BROKEN_OFF', `the connection to the server was lost: ${what}`, { cause: error });
  }
  return new RemoteFailure('NOT_SUPPORTED', `the server does not understand (status ${status}): ${what}`, {
    cause: error,
  });
}
