/** A file behind https: a folder with this one file. */
import type { Readable } from 'node:stream';
import { answered } from './calls.js';
import { connectionFailure } from './connection-failure.js';
import { checkEncoding, contentOf, isPageType } from './content.js';
import { conditionOf, fileOf, isSame, newerThan, requireFile } from './https/file-answer.js';
import { type CallOptions, endBody, type HttpsAnswer, HttpsCalls } from './https/https-calls.js';
import { matcherOf } from './names.js';
import {
  type Connection,
  type ListQuery,
  type Opened,
  RemoteFailure,
  type RemoteFile,
  type RemoteFolder,
  type Secrets,
} from './remote-folder.js';
import { changed, type Opening, resumedRead } from './resumed-read.js';

/** Answers to HEAD that say nothing about GET: many servers know only that. */
const HEAD_IS_UNKNOWN: ReadonlySet<number> = new Set([400, 403, 404, 405, 500, 501]);

/**
 * Connects only when it is asked for the file.
 * @param seen as it was when it was taken: it is sent again only if it is another one
 * @throws RemoteFailure NOT_ALLOWED, REFUSED_LOGIN
 */
export async function openHttpsFile(
  connection: Extract<Connection, { readonly kind: 'https' }>,
  secrets: Secrets,
  options: CallOptions,
  seen?: RemoteFile,
): Promise<Opened> {
  const calls = new HttpsCalls(connection, secrets, options);
  return { folder: new HttpsFile(calls, options.idleMs, seen), hostKey: null };
}

class HttpsFile implements RemoteFolder {
  readonly endsSilence = true;
  readonly #calls: HttpsCalls;
  readonly #idleMs: number;
  #seen: RemoteFile | undefined;

  constructor(calls: HttpsCalls, idleMs: number, seen: RemoteFile | undefined) {
    this.#calls = calls;
    this.#idleMs = idleMs;
    this.#seen = seen;
  }

  async list({ pattern, limit, sift = async (files) => files }: ListQuery, signal: AbortSignal) {
    const file = await this.#look(signal);
    const isListed = limit > 0 && matcherOf(pattern)(file.name);
    return { files: isListed ? await sift([file]) : [], more: false };
  }

  async read(file: RemoteFile, { maxBytes }: { maxBytes: number }, signal: AbortSignal): Promise<Readable> {
    const { name } = file;
    let first: RemoteFile | undefined;
    let answer: HttpsAnswer | undefined;
    const open = async (from: number, ends: AbortSignal): Promise<Opening> => {
      const condition = first === undefined || from === 0 ? null : conditionOf(first);
      const partial = condition === null ? {} : { range: `bytes=${from}-`, ...condition };
      const got = await this.#calls.send('GET', partial, ends);
      try {
        // There is nothing behind the last byte.
        const isAtEnd = got.status === 416 && got.header('content-range') === `bytes */${from}`;
        if (!isAtEnd) requireFile(got);
        checkEncoding(got.header('content-encoding'));
        const begins = isAtEnd ? from : beginOf(got);
        if (begins !== 0 && begins !== from) {
          throw new RemoteFailure(
            'NOT_SUPPORTED',
            'the server answers with another part of the file than it was asked for',
          );
        }
        const now = fileOf(got, this.#calls.url, 'GET');
        if (!isSame(got.status === 200 ? now : { ...now, bytes: null }, first ?? file)) throw changed(name);
        const isPackedOtherwise = got.header('content-encoding') !== answer?.header('content-encoding');
        if (answer !== undefined && isPackedOtherwise) throw changed(name);
        first ??= now;
        answer ??= got;
        return { from: begins, total: totalOf(got), chunks: bodyOf(got), close: () => endBody(got) };
      } catch (error) {
        endBody(got);
        throw error;
      }
    };
    const bytes = await resumedRead({ name, maxBytes, idleMs: this.#idleMs, open }, signal);
    const header = (answer as HttpsAnswer | undefined)?.header;
    return contentOf(bytes, { name, encoding: header?.('content-encoding'), type: header?.('content-type'), maxBytes });
  }

  move(): Promise<void> {
    return Promise.reject(isOnlyRead('moved'));
  }

  remove(): Promise<void> {
    return Promise.reject(isOnlyRead('removed'));
  }

  write(): Promise<void> {
    return Promise.reject(isOnlyRead('written'));
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  /** What the server says about the file without sending it; where it cannot, the file is begun and broken off. */
  async #look(signal: AbortSignal): Promise<RemoteFile> {
    const known = this.#seen;
    const answer = await this.#calls.send('HEAD', known === undefined ? {} : newerThan(known), signal);
    endBody(answer);
    if (known !== undefined && answer.status === 304) return known;
    const isPageOrUnknown = isPageType(answer.header('content-type')) || HEAD_IS_UNKNOWN.has(answer.status);
    if (!isPageOrUnknown) requireFile(answer);
    const file = isPageOrUnknown ? await this.#begin(known, signal) : fileOf(answer, this.#calls.url, 'HEAD');
    this.#seen = file;
    return file;
  }

  async #begin(known: RemoteFile | undefined, signal: AbortSignal): Promise<RemoteFile> {
    const answer = await this.#calls.send('GET', known === undefined ? {} : newerThan(known), signal);
    try {
      if (known !== undefined && answer.status === 304) return known;
      requireFile(answer);
      const file = fileOf(answer, this.#calls.url, 'GET');
      const encoding = answer.header('content-encoding');
      const type = answer.header('content-type');
      if (!isPageType(type)) return file;
      checkEncoding(encoding);
      answer.body.on('error', () => undefined);
      const content = { name: file.name, encoding, type, maxBytes: Number.POSITIVE_INFINITY };
      const limited = answer.body as Readable;
      await answered('the beginning of the file', this.#idleMs, signal, () => contentOf(limited, content));
      return file;
    } catch (error) {
      throw error instanceof RemoteFailure || signal.aborted ? error : connectionFailure(error);
    } finally {
      endBody(answer);
    }
  }
}

/** @returns where the bytes of the answer begin in the file */
function beginOf({ status, header }: HttpsAnswer): number {
  if (status !== 206) return 0;
  return Number(/^bytes (\d{1,15})-/.exec(header('content-range') ?? '')?.[1] ?? Number.NaN);
}

/** The size of the whole file as it is sent, packed or not. */
function totalOf({ status, header }: HttpsAnswer): number | null {
  const length = header('content-length');
  if (status === 200) return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : null;
  const total = /\/(\d{1,15})$/.exec(header('content-range') ?? '')?.[1];
  return total === undefined ? null : Number(total);
}

async function* bodyOf({ body }: HttpsAnswer): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    throw connectionFailure(error);
  }
}

function isOnlyRead(done: string): RemoteFailure {
  const message = `a file behind https is only read, and cannot be ${done}: choose "leave" for what is done with it afterwards`;
  return new RemoteFailure('NOT_SUPPORTED', message);
}
