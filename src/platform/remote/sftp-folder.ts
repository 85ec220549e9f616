/** A folder of an SFTP server. */
import { constants } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Attributes } from 'ssh2';
import { answered, wholeCallMs } from './calls.js';
import { freeName, requireSafeFolder, requireSafeName, temporaryName } from './placed-names.js';
import {
  type ListQuery,
  type Opened,
  RemoteFailure,
  type RemoteFile,
  type RemoteFolder,
  type Secrets,
} from './remote-folder.js';
import { changed, type Opening, resumedRead } from './resumed-read.js';
import { SeenVersions } from './seen-versions.js';
import type { ConnectOptions, SftpConnection } from './sftp/connect.js';
import { describe, type Listing, listFolder, pathIn } from './sftp/list-folder.js';
import { readHandle } from './sftp/read-handle.js';
import { SftpSession } from './sftp/session.js';
import { FAILURE, NO_SUCH_FILE, statusOf } from './sftp/sftp-failure.js';
import { writeFile } from './sftp/write-file.js';

const { S_IFMT, S_IFREG } = constants;

/** Connects and logs in. @throws RemoteFailure; the reason of the signal */
export async function openSftpFolder(
  connection: SftpConnection,
  secrets: Secrets,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Opened> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(connection.path)) {
    throw new RemoteFailure('NOT_ALLOWED', 'the path of the folder has control characters');
  }
  const session = new SftpSession(connection, secrets, options);
  await session.line(signal);
  const folder = new SftpFolder(session, connection.path === '' ? '.' : connection.path, options.idleMs);
  return { folder, hostKey: connection.hostKey === null ? session.hostKey : null };
}

class SftpFolder implements RemoteFolder {
  readonly endsSilence = true;
  readonly #session: SftpSession;
  readonly #path: string;
  readonly #idleMs: number;
  readonly #seen = new SeenVersions();

  constructor(session: SftpSession, path: string, idleMs: number) {
    this.#session = session;
    this.#path = path;
    this.#idleMs = idleMs;
  }

  async list(query: ListQuery, signal: AbortSignal): Promise<Listing> {
    const listing = await this.#whole('a listing', signal, (ends) =>
      listFolder(this.#session, this.#path, query, this.#idleMs, ends),
    );
    for (const { name, version } of listing.files) this.#seen.note(name, version);
    return listing;
  }

  async read(file: RemoteFile, { maxBytes }: { maxBytes: number }, signal: AbortSignal): Promise<Readable> {
    const { name, version } = file;
    const path = this.#pathOf(name);
    const open = async (from: number, ends: AbortSignal): Promise<Opening> => {
      const line = await this.#session.line(ends);
      const handle = await line.open(`opening ${name}`, ends, (sftp, done) => sftp.open(path, 'r', done));
      const check = async (still: AbortSignal) => {
        const what = `looking at ${name}`;
        const open = await line.call<Attributes>(what, still, (sftp, done) => sftp.fstat(handle, done));
        if ((open.mode & S_IFMT) !== S_IFREG && open.mode !== undefined) {
          throw new RemoteFailure('NOT_A_FILE', `${name} is a folder or a device, and no file`);
        }
        // Another file may have got this name meanwhile, which nobody has read.
        const named = await line.call<Attributes>(what, still, (sftp, done) => sftp.stat(path, done));
        for (const found of [open, named]) if (describe(name, found).version !== version) throw changed(name);
        return open;
      };
      try {
        const { size } = await check(ends);
        const chunks = readHandle(line, { name, handle, size }, from, ends);
        let isClosed = false;
        return {
          from,
          total: size,
          chunks,
          check: async (still) => void (await check(still)),
          close: () => {
            if (!isClosed) line.close(handle);
            isClosed = true;
          },
        };
      } catch (error) {
        line.close(handle);
        throw error;
      }
    };
    this.#seen.note(name, version);
    return resumedRead({ name, maxBytes, idleMs: this.#idleMs, open }, signal);
  }

  async move(name: string, folder: string, signal: AbortSignal): Promise<void> {
    const path = this.#pathOf(name);
    requireSafeFolder(folder);
    await this.#whole(`moving ${name}`, signal, async (ends) => {
      await this.#requireSame(name, ends);
      let target = this.#path;
      for (const part of folder.split('/')) {
        target = pathIn(target, part);
        await this.#makeFolder(target, ends);
      }
      const taken = (as: string) => this.#find(pathIn(target, as), ends).then((found) => found !== null);
      const to = pathIn(target, await freeName(name, taken));
      // The rename of SFTP replaces nothing.
      await this.#session.call<void>(`moving ${name} to ${folder}`, ends, (sftp, done) =>
        sftp.rename(path, to, (error) => done(error)),
      );
    });
    this.#seen.forget(name);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const path = this.#pathOf(name);
    await this.#whole(`removing ${name}`, signal, async (ends) => {
      if ((await this.#requireSame(name, ends)) === null) return;
      await this.#session.call<void>(`removing ${name}`, ends, (sftp, done) =>
        sftp.unlink(path, (error) => done(error)),
      );
    });
    this.#seen.forget(name);
  }

  async write(name: string, source: Readable, signal: AbortSignal): Promise<void> {
    const temporary = this.#pathOf(temporaryName(name));
    await writeFile(await this.#session.line(signal), { name, path: this.#pathOf(name), temporary }, source, signal);
    this.#seen.forget(name);
  }

  async close(): Promise<void> {
    this.#session.close();
  }

  #pathOf(name: string): string {
    requireSafeName(name);
    return pathIn(this.#path, name);
  }

  /** A call of several messages. */
  #whole<T>(what: string, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return answered(what, wholeCallMs(this.#idleMs), signal, call);
  }

  async #find(path: string, signal: AbortSignal): Promise<Attributes | null> {
    try {
      return await this.#session.call<Attributes>(`looking at ${path}`, signal, (sftp, done) => sftp.lstat(path, done));
    } catch (error) {
      if (statusOf(error) === NO_SUCH_FILE) return null;
      throw error;
    }
  }

  /** @returns null: there is no such file @throws RemoteFailure when it is not the one that was seen */
  async #requireSame(name: string, signal: AbortSignal): Promise<Attributes | null> {
    const path = this.#pathOf(name);
    const found = await this.#find(path, signal);
    if (found === null) return null;
    // A link has been seen as what it leads to.
    const what = `looking at ${name}`;
    const followed = await this.#session.call<Attributes>(what, signal, (sftp, done) => sftp.stat(path, done));
    this.#seen.requireSame(name, describe(name, followed).version);
    return followed;
  }

  async #makeFolder(path: string, signal: AbortSignal): Promise<void> {
    if ((await this.#find(path, signal)) !== null) return;
    try {
      await this.#session.call<void>(`making the folder ${path}`, signal, (sftp, done) =>
        sftp.mkdir(path, (error) => done(error)),
      );
    } catch (error) {
      // Somebody else may have made it at the same time.
      if (statusOf(error) !== FAILURE || (await this.#find(path, signal)) === null) throw error;
    }
  }
}
