/** A connection by SFTP that is made again when it was lost. Each call has a deadline. */
import type { SFTPWrapper } from 'ssh2';
import { answered } from '../calls.js';
import { RemoteFailure, type Secrets } from '../remote-folder.js';
import { type Connected, type ConnectOptions, connectSftp, type SftpConnection } from './connect.js';
import { sftpFailure } from './sftp-failure.js';

type Done<T> = (error: Error | null | undefined, result: T) => void;

export class SftpSession {
  readonly #connection: SftpConnection;
  readonly #secrets: Secrets;
  readonly #options: ConnectOptions;
  #hostKey: string | null;
  #line: Line | undefined;

  constructor(connection: SftpConnection, secrets: Secrets, options: ConnectOptions) {
    this.#connection = connection;
    this.#secrets = secrets;
    this.#options = options;
    this.#hostKey = connection.hostKey;
  }

  /** The fingerprint of the server; null before it was connected to. */
  get hostKey(): string | null {
    return this.#hostKey;
  }

  /** The connection, which is made if there is none. @throws RemoteFailure */
  async line(signal: AbortSignal): Promise<Line> {
    if (this.#line?.isOpen === true) return this.#line;
    const connected = await connectSftp(this.#connection, this.#secrets, this.#hostKey, this.#options, signal);
    // A connection that is made again leads to the same server, also when it was the first use.
    this.#hostKey = connected.hostKey;
    this.#line = new Line(connected, this.#options.idleMs);
    return this.#line;
  }

  /** Makes one call on the connection. @throws RemoteFailure; the reason of the signal */
  async call<T>(what: string, signal: AbortSignal, begin: (sftp: SFTPWrapper, done: Done<T>) => void): Promise<T> {
    return (await this.line(signal)).call(what, signal, begin);
  }

  close(): void {
    this.#line?.end();
  }
}

/** One connection, until it is lost. */
export class Line {
  readonly sftp: SFTPWrapper;
  readonly #connected: Connected;
  readonly #idleMs: number;
  readonly #waiting = new Set<(error: RemoteFailure) => void>();
  isOpen = true;

  constructor(connected: Connected, idleMs: number) {
    this.#connected = connected;
    this.#idleMs = idleMs;
    this.sftp = connected.sftp;
    const { client, sftp } = connected;
    for (const source of [client, sftp]) {
      source.on('error', () => this.end());
      source.once('close', () => this.end());
      source.once('end', () => this.end());
    }
  }

  /** @param release what comes back after the signal was aborted */
  async call<T>(
    what: string,
    signal: AbortSignal,
    begin: (sftp: SFTPWrapper, done: Done<T>) => void,
    release?: (late: T) => void,
  ): Promise<T> {
    try {
      return await answered(what, this.#idleMs, signal, () => this.#call(what, begin), release);
    } catch (error) {
      // A server that is silent once is not asked again by this connection.
      if (error instanceof RemoteFailure && error.code === 'TIMED_OUT') this.end();
      throw error;
    }
  }

  /** Opens a file or a folder. */
  open(what: string, signal: AbortSignal, begin: (sftp: SFTPWrapper, done: Done<Buffer>) => void): Promise<Buffer> {
    return this.call(what, signal, begin, (handle) => this.close(handle));
  }

  /** Does not wait for the server, which has nothing to say about it. */
  close(handle: Buffer): void {
    if (this.isOpen) this.sftp.close(handle, () => undefined);
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const reject of this.#waiting) reject(lost());
    this.#waiting.clear();
    this.#connected.client.destroy();
  }

  #call<T>(what: string, begin: (sftp: SFTPWrapper, done: Done<T>) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.isOpen) throw lost();
      this.#waiting.add(reject);
      begin(this.sftp, (error, result) => {
        this.#waiting.delete(reject);
        if (error === undefined || error === null) resolve(result);
        else reject(this.isOpen ? sftpFailure(error, what) : lost());
      });
    });
  }
}

function lost(): RemoteFailure {
  return new RemoteFailure('BROKEN_OFF', 'the connection to the server was lost');
}
