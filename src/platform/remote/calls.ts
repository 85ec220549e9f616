/** Calls of somebody else's server: each has a time within which it is answered, and ends with the signal. */
import { RemoteFailure } from './remote-folder.js';

/** A whole call, of many messages, may take so many times as long as the server may be silent. */
const SILENCES_OF_A_CALL = 10;

/** How long a call may take that moves no bytes of files. */
export function wholeCallMs(idleMs: number): number {
  return SILENCES_OF_A_CALL * idleMs;
}

/**
 * Waits for an answer. When the time is over, or the signal aborts, the signal that the call got aborts too.
 * @param what it is that is waited for, for the message
 * @param release what comes back too late
 * @throws RemoteFailure TIMED_OUT; the reason of the signal; what the call throws
 */
export function answered<T>(
  what: string,
  ms: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
  release?: (late: T) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal.throwIfAborted();
    const ender = new AbortController();
    let isOver = false;
    const end = () => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const stop = (reason: unknown) => {
      if (isOver) return;
      end();
      reject(reason);
      ender.abort(reason);
    };
    const onAbort = () => stop(signal.reason);
    const timer = setTimeout(() => stop(timedOut(what, ms)), ms);
    signal.addEventListener('abort', onAbort);
    call(ender.signal).then(
      (result) => {
        if (isOver) release?.(result);
        else {
          end();
          resolve(result);
        }
      },
      (error: unknown) => stop(error),
    );
  });
}

function timedOut(what: string, ms: number): RemoteFailure {
  return new RemoteFailure('TIMED_OUT', `the server did not answer within ${ms / 1000} s: ${what}`);
}
