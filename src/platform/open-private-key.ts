/**
 * Opens private keys of SSH that are encrypted with a passphrase, in a thread of their own: their encryption is slow on
 * purpose, some seconds with usual settings, and the owner of the key decides how slow.
 */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** What the thread is given. */
export interface LockedKey {
  readonly key: string;
  readonly passphrase: string;
}

const PROGRAM = fileURLToPath(new URL('../../app/platform/private-key-opener.js', import.meta.url));

/**
 * @param signal ends the thread
 * @returns the key without its encryption, as PEM; null: it is no key that we can read, or this is not its passphrase
 */
export function openPrivateKey(key: string, passphrase: string, signal: AbortSignal): Promise<string | null> {
  const workerData: LockedKey = { key, passphrase };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const thread = new Worker(PROGRAM, { workerData, execArgv: [] });
    const end = () => void thread.terminate();
    signal.addEventListener('abort', end);
    thread.once('message', (opened: string | null) => resolve(opened));
    thread.once('error', reject);
    thread.once('exit', () => {
      signal.removeEventListener('abort', end);
      reject(signal.reason ?? new Error('the thread that opens private keys has ended without an answer'));
    });
  });
}
