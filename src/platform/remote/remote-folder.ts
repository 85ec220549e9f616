/** A folder that lies with somebody else, however it is reached: what feeds read files from. */
import type { Readable } from 'node:stream';

/** What can be seen of a file that lies with somebody else. */
export interface RemoteFile {
  /** Relative to the folder; never with `..`, a leading slash or a control character. */
  readonly name: string;
  /** null: the server does not say. */
  readonly bytes: number | null;
  readonly modifiedAt: Date | null;
  /** Changes when the content does, as far as the server tells: an ETag, or size and time. */
  readonly version: string;
}

export interface ListQuery {
  readonly pattern: string;
  readonly limit: number;
  /**
   * Is given all files in groups, by name, and returns those that are wanted: the others do not count, and are not kept. Without
   * it, all are wanted.
   */
  readonly sift?: (files: readonly RemoteFile[]) => Promise<readonly RemoteFile[]>;
}

/** A folder of somebody else. Each call ends with the signal, and fails with a RemoteFailure that says what happened in a sentence. */
export interface RemoteFolder {
  /** At most `limit` files (and whether there are more) whose names match the pattern (glob: `*`, `?`, no `**`), by name. */
  list(query: ListQuery, signal: AbortSignal): Promise<{ files: readonly RemoteFile[]; more: boolean }>;
  /** The bytes of a file as they are now; a connection that is cut is resumed where the server allows it and the version is the same. */
  read(file: RemoteFile, limits: { maxBytes: number }, signal: AbortSignal): Promise<Readable>;
  /** Within the server; the folder is relative to the feed's and made if need be. */
  move(name: string, folder: string, signal: AbortSignal): Promise<void>;
  remove(name: string, signal: AbortSignal): Promise<void>;
  /**
   * Under a temporary name first, then renamed.
   * @param bytes how many they are, as far as it is known: what is sent by https says so first
   */
  write(name: string, source: Readable, signal: AbortSignal, bytes?: number | null): Promise<void>;
  /** A read from a server that is silent ends by itself, after it was tried to go on. */
  readonly endsSilence?: boolean;
  /** Nothing is ever there of a file that could not be written. */
  readonly leavesNothing?: boolean;
  /** Tries the connection where a file cannot be written and removed again. Absent: it can. */
  reach?(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export type RemoteFailureCode =
  | 'UNREACHABLE'
  | 'TIMED_OUT'
  /** It sends, but so slowly that others would have to wait for hours. */
  | 'TOO_SLOW'
  | 'REFUSED_LOGIN'
  | 'WRONG_HOST_KEY'
  | 'NOT_FOUND'
  /** An address or a folder that may not be reached. */
  | 'NOT_ALLOWED'
  /** An HTML page, a folder, a device. */
  | 'NOT_A_FILE'
  | 'TOO_LARGE'
  | 'CHANGED_WHILE_READ'
  | 'BROKEN_OFF'
  | 'NOT_SUPPORTED';

/** Those that may be over at the next try. */
const TRANSIENT: ReadonlySet<RemoteFailureCode> = new Set([
  'UNREACHABLE',
  'TIMED_OUT',
  'TOO_SLOW',
  'CHANGED_WHILE_READ',
  'BROKEN_OFF',
]);

interface RemoteFailureFacts {
  readonly cause?: unknown;
  readonly isTransient?: boolean;
  readonly hostKey?: string;
}

/** What failed with somebody else's folder. The message is a sentence for the owner of the feed. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly isTransient: boolean;
  /** The key that an SFTP server had shown before; empty: none. */
  readonly hostKey: string;

  constructor(
    readonly code: RemoteFailureCode,
    message: string,
    { cause, isTransient = TRANSIENT.has(code), hostKey = '' }: RemoteFailureFacts = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.isTransient = isTransient;
    this.hostKey = hostKey;
  }
}

export type Connection =
  | {
      readonly kind: 'https';
      readonly url: string;
      readonly auth?:
        | { readonly type: 'basic'; readonly user: string }
        | { readonly type: 'bearer' }
        | { readonly type: 'header'; readonly name: string }
        | undefined;
    }
  | {
      readonly kind: 'sftp';
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly path: string;
      /** SHA256:… fingerprint; null: pinned at first use. */
      readonly hostKey: string | null;
    }
  | {
      readonly kind: 's3';
      readonly endpoint: string | null;
      readonly region: string;
      readonly bucket: string;
      readonly prefix: string;
      readonly accessKeyId: string;
    }
  /** Under one of FEED_FOLDERS, which operators allow. */
  | { readonly kind: 'folder'; readonly path: string };

/** The secret that belongs to it: a password, token, private key or secret key; null where there is none. */
export interface Secrets {
  readonly secret: string | null;
  readonly passphrase?: string | null;
}

export interface Opened {
  readonly folder: RemoteFolder;
  /** What was pinned at this first use. */
  readonly hostKey: string | null;
}

export interface RemoteLimits {
  /** The folders of this machine that operators allow to the account. */
  readonly folders: readonly string[];
  /** How long a server may be silent. */
  readonly idleMs: number;
  /** Whether files are written there; otherwise they are read. */
  readonly writes?: boolean | undefined;
  /** A file behind https as it was when it was taken: the server is asked whether there is another one. */
  readonly seen?: RemoteFile | undefined;
}

export function tooLarge(name: string, maxBytes: number): RemoteFailure {
  return new RemoteFailure('TOO_LARGE', `${name} is larger than ${maxBytes} bytes, the most that a file may have`);
}
