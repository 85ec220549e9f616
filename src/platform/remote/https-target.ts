/** An address behind https to which files are sent: each is one PUT, which the server takes whole or not at all. */
import type { Readable } from 'node:stream';
import { type CallOptions, endBody, HttpsCalls } from './https/https-calls.js';
import { putFile, requireTaken } from './https/put-file.js';
import { isSafeName } from './names.js';
import { type Connection, type Opened, RemoteFailure, type RemoteFolder, type Secrets } from './remote-folder.js';

/**
 * Connects only when a file is sent.
 * @throws RemoteFailure NOT_ALLOWED, REFUSED_LOGIN
 */
export async function openHttpsTarget(
  connection: Extract<Connection, { readonly kind: 'https' }>,
  secrets: Secrets,
  options: CallOptions,
): Promise<Opened> {
  return { folder: new HttpsTarget(new HttpsCalls(connection, secrets, options)), hostKey: null };
}

/** Whether an address is that of a folder, in which each file has its own name. */
export function isFolderAddress(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname.endsWith('/');
}

class HttpsTarget implements RemoteFolder {
  readonly leavesNothing = true;
  readonly #calls: HttpsCalls;

  constructor(calls: HttpsCalls) {
    this.#calls = calls;
  }

  /** What a server does with what was sent cannot be seen from here. */
  async list() {
    return { files: [], more: false };
  }

  read(): Promise<Readable> {
    return Promise.reject(isOnlyWritten('read'));
  }

  move(): Promise<void> {
    return Promise.reject(isOnlyWritten('moved'));
  }

  remove(): Promise<void> {
    return Promise.reject(isOnlyWritten('removed'));
  }

  async write(name: string, source: Readable, signal: AbortSignal, bytes: number | null = null): Promise<void> {
    try {
      await putFile(this.#calls, this.#urlOf(name), { name, source, bytes }, signal);
    } finally {
      source.destroy();
    }
  }

  /** Whether the address answers. Nothing is written: what is sent there is a delivery. */
  async reach(signal: AbortSignal): Promise<void> {
    const answer = await this.#calls.sendOnce('HEAD', this.#calls.url, {}, signal);
    endBody(answer);
    // An address that takes files need not have one, nor know HEAD. A redirect is not followed with a file either.
    const { status } = answer;
    if ([401, 407].includes(status) || (status >= 300 && status < 400) || status >= 500) requireTaken(answer);
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  #urlOf(name: string): URL {
    const { url } = this.#calls;
    if (!isFolderAddress(url.href)) return url;
    if (!isSafeName(name)) throw new RemoteFailure('NOT_ALLOWED', 'the name of the file would lead out of the folder');
    const own = new URL(url);
    own.pathname += encodeURIComponent(name);
    return own;
  }
}

function isOnlyWritten(done: string): RemoteFailure {
  return new RemoteFailure('NOT_SUPPORTED', `a file that was sent to an address behind https cannot be ${done}`);
}
