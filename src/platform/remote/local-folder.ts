/** A folder of this machine that operators allow, and no file outside of it, wherever its links lead. */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { link, lstat, mkdir, open, opendir, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, extname, isAbsolute, join, sep } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../error-code.js';
import { isSafeFolder, isSafeName, matcherOf } from './names.js';
import {
  type Connection,
  type ListQuery,
  type Opened,
  RemoteFailure,
  type RemoteFile,
  type RemoteFolder,
  tooLarge,
} from './remote-folder.js';

/** A name in the folder for finished files is taken so often at most. */
const MOST_NAMESAKES = 1_000;
/** Files that are described before the next ones are. */
const MOST_TOGETHER = 1_000;

/**
 * @param allowed the folders below which it has to be
 * @throws RemoteFailure NOT_ALLOWED, NOT_FOUND or NOT_A_FILE
 */
export async function openLocalFolder(
  { path }: Extract<Connection, { readonly kind: 'folder' }>,
  allowed: readonly string[],
): Promise<Opened> {
  // Checked before anything is looked up: whether other folders exist is nobody's business.
  if (!isAllowedFolder(path, allowed)) throw notAllowed(path);
  const roots = await Promise.all(allowed.map((root) => realpath(root).catch(() => root)));
  const real = await realpath(path).catch((error: unknown) => {
    throw failureOf(error, `the folder ${path}`);
  });
  const root = roots.find((one) => isWithin(real, one));
  if (root === undefined) throw notAllowed(path);
  if (!(await stat(real)).isDirectory()) throw new RemoteFailure('NOT_FOUND', `${path} is a file, and no folder`);
  return { folder: new LocalFolder(real, root), hostKey: null };
}

/** Whether a path is one of the allowed folders, or below one, as it is written. Where it leads is seen when it is opened. */
export function isAllowedFolder(path: string, allowed: readonly string[]): boolean {
  return isAbsolute(path) && !path.split(sep).includes('..') && allowed.some((root) => isWithin(path, root));
}

class LocalFolder implements RemoteFolder {
  constructor(
    readonly path: string,
    /** What its files must not lead out of. */
    readonly root: string,
  ) {}

  async list({ pattern, limit, sift }: ListQuery, signal: AbortSignal) {
    const matches = matcherOf(pattern);
    const names: string[] = [];
    try {
      for await (const entry of await opendir(this.path)) {
        signal.throwIfAborted();
        if (!entry.isDirectory() && isSafeName(entry.name) && matches(entry.name)) names.push(entry.name);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, 'the folder');
    }
    names.sort();
    const files: RemoteFile[] = [];
    const together = sift === undefined ? Math.min(limit + 1, MOST_TOGETHER) : MOST_TOGETHER;
    for (let from = 0; from < names.length && files.length <= limit; from += together) {
      const some = await this.#describe(names.slice(from, from + together), signal);
      files.push(...(sift === undefined ? some : await sift(some)));
    }
    return { files: files.slice(0, limit), more: files.length > limit };
  }

  async #describe(names: readonly string[], signal: AbortSignal): Promise<RemoteFile[]> {
    const files: RemoteFile[] = [];
    for (const name of names) {
      signal.throwIfAborted();
      const found = await this.#find(name).catch(() => undefined);
      // Gone meanwhile, no file, or a link that leads outside.
      if (found === undefined) continue;
      const { size, mtime } = found.stats;
      files.push({ name, bytes: size, modifiedAt: mtime, version: versionOf(found.stats) });
    }
    return files;
  }

  async read(
    { name, version }: RemoteFile,
    { maxBytes }: { maxBytes: number },
    signal: AbortSignal,
  ): Promise<Readable> {
    signal.throwIfAborted();
    const { path, stats } = await this.#find(name);
    if (versionOf(stats) !== version) throw changed(name);
    if (stats.size > maxBytes) throw tooLarge(name, maxBytes);
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
      (error: unknown) => {
        throw failureOf(error, name);
      },
    );
    // Something else may have been put in its place since it was looked at.
    if (versionOf(await file.stat()) !== version) {
      await file.close();
      throw changed(name);
    }
    const out = new PassThrough();
    const checked = async function* (source: AsyncIterable<Buffer>) {
      let bytes = 0;
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(name, maxBytes);
        yield chunk;
      }
      if (bytes !== stats.size || versionOf(await file.stat()) !== version) throw changed(name);
    };
    pipeline(file.createReadStream({ autoClose: false }), checked, out, { signal })
      .catch((error: unknown) => out.destroy(error instanceof Error ? error : new Error(String(error))))
      .finally(() => file.close().catch(() => undefined));
    return out;
  }

  async move(name: string, folder: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!isSafeFolder(folder)) throw new RemoteFailure('NOT_ALLOWED', `${folder} is no folder within that of the feed`);
    const from = this.#pathOf(name);
    const target = join(this.path, folder);
    try {
      await mkdir(target, { recursive: true }).catch((error: unknown) => {
        throw failureOf(error, `the folder ${folder}`);
      });
      if (!isWithin(await realpath(target), this.root)) throw notAllowed(folder);
      // A link fails where a name is taken; a rename would replace what was moved there before.
      for (let time = 0; time < MOST_NAMESAKES; time++) {
        try {
          await link(from, join(target, namesake(name, time)));
          await unlink(from);
          return;
        } catch (error) {
          if (codeOf(error) !== 'EEXIST') throw error;
        }
      }
    } catch (error) {
      throw failureOf(error, name);
    }
    throw new RemoteFailure('NOT_ALLOWED', `the folder ${folder} has ${MOST_NAMESAKES} files named ${name}: empty it`);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    try {
      await unlink(this.#pathOf(name));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw failureOf(error, name);
    }
  }

  async write(name: string, source: Readable, signal: AbortSignal): Promise<void> {
    const target = this.#pathOf(name);
    const temporary = join(dirname(target), `.${name}.${randomBytes(6).toString('hex')}.part`);
    try {
      const file = await open(temporary, 'wx');
      await pipeline(source, file.createWriteStream({ flush: true }), { signal });
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      signal.throwIfAborted();
      throw failureOf(error, name);
    }
  }

  async close(): Promise<void> {}

  #pathOf(name: string): string {
    if (!isSafeName(name)) throw new RemoteFailure('NOT_ALLOWED', `${JSON.stringify(name)} is no name of a file here`);
    return join(this.path, name);
  }

  /** Where a file really lies. @throws RemoteFailure */
  async #find(name: string): Promise<{ readonly path: string; readonly stats: Stats }> {
    try {
      const path = await realpath(this.#pathOf(name));
      if (!isWithin(path, this.root)) {
        throw new RemoteFailure('NOT_ALLOWED', `${name} is a link that leads out of the folder, and is not followed`);
      }
      const stats = await lstat(path);
      if (!stats.isFile()) throw new RemoteFailure('NOT_A_FILE', `${name} is no file`);
      return { path, stats };
    } catch (error) {
      throw failureOf(error, name);
    }
  }
}

function isWithin(path: string, root: string): boolean {
  const base = root.endsWith(sep) ? root.slice(0, -1) : root;
  return path === base || path.startsWith(base + sep);
}

function versionOf({ ino, size, mtimeMs }: Stats): string {
  return `${size}-${mtimeMs}-${ino}`;
}

/** `a.csv`, `a.1.csv`, … */
function namesake(name: string, time: number): string {
  if (time === 0) return name;
  const ending = extname(name);
  return `${name.slice(0, name.length - ending.length)}.${time}${ending}`;
}

function failureOf(error: unknown, what: string): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  const code = codeOf(error) || String(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new RemoteFailure('NOT_FOUND', `${what} is not there`, { cause: error });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new RemoteFailure('NOT_ALLOWED', `the system does not let us use ${what} (${code})`, { cause: error });
  }
  if (code === 'EEXIST') return new RemoteFailure('NOT_ALLOWED', `${what} is taken by a file of that name`);
  if (code === 'ELOOP') return new RemoteFailure('NOT_ALLOWED', `${what} is a link that is not followed`);
  return new RemoteFailure('BROKEN_OFF', `${what} could not be used (${code})`, { cause: error });
}

function notAllowed(path: string): RemoteFailure {
  const message = `the folder ${path} is not one that the operator allows to this account (FEED_FOLDERS)`;
  return new RemoteFailure('NOT_ALLOWED', message);
}

function changed(name: string): RemoteFailure {
  return new RemoteFailure(
    'CHANGED_WHILE_READ',
    `${name} was changed while it was read; the next run looks at it again`,
  );
}
