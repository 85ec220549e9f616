/** Lists the files of a folder of a server by pages, as many as there may be, and only those that can be taken. */
import { constants } from 'node:fs';
import type { Attributes, FileEntry } from 'ssh2';
import { wholeCallMs } from '../calls.js';
import { isSafeName, matcherOf } from '../names.js';
import { type ListQuery, RemoteFailure, type RemoteFile } from '../remote-folder.js';
import type { SftpSession } from './session.js';
import { END_OF_FILE, statusOf } from './sftp-failure.js';

/** A folder with more entries is refused: a listing that never ends would fill the memory. */
const MOST_ENTRIES = 100_000;
/** Files that are described before the next ones are. */
const MOST_TOGETHER = 1_000;
const { S_IFMT, S_IFREG, S_IFLNK } = constants;

export interface Listing {
  readonly files: readonly RemoteFile[];
  readonly more: boolean;
  /** Files that match and cannot be taken: names that lead out of the folder or cannot be shown, links that lead elsewhere. */
  readonly leftOut: number;
}

interface Candidate {
  readonly name: string;
  readonly attributes: Attributes;
}

/** @param folder its path @throws RemoteFailure */
export async function listFolder(
  session: SftpSession,
  folder: string,
  { pattern, limit, sift }: ListQuery,
  idleMs: number,
  signal: AbortSignal,
): Promise<Listing> {
  const matches = matcherOf(pattern);
  const startedAt = performance.now();
  let found: Candidate[] = [];
  let isCut = false;
  let leftOut = 0;
  let entries = 0;
  const keepFirst = () => {
    found.sort((one, other) => (one.name < other.name ? -1 : 1));
    // Which of them are wanted is not known yet.
    if (sift !== undefined) return;
    isCut ||= found.length > limit;
    found = found.slice(0, limit + 1);
  };
  for await (const page of pagesOf(session, folder, signal)) {
    entries += page.length;
    if (entries > MOST_ENTRIES) throw tooMany(folder);
    // A page may be empty, again and again.
    if (performance.now() - startedAt > wholeCallMs(idleMs)) throw tooSlow(folder);
    for (const { filename: name, attrs: attributes } of page) {
      if (!matches(name) || name === '.' || name === '..') continue;
      if (isSafeName(name)) found.push({ name, attributes });
      else leftOut += 1;
    }
    if (sift === undefined && found.length > 2 * (limit + 1)) keepFirst();
  }
  keepFirst();
  const files: RemoteFile[] = [];
  for (let from = 0; from < found.length && files.length <= limit; from += MOST_TOGETHER) {
    const together: RemoteFile[] = [];
    for (const candidate of found.slice(from, from + MOST_TOGETHER)) {
      const file = await fileOf(session, folder, candidate, signal);
      if (file === 'elsewhere') leftOut += 1;
      else if (file !== null) together.push(file);
    }
    files.push(...(sift === undefined ? together : await sift(together)));
  }
  return { files: files.slice(0, limit), more: isCut || files.length > limit, leftOut };
}

async function* pagesOf(
  session: SftpSession,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<readonly FileEntry[]> {
  const what = `listing ${folder}`;
  const line = await session.line(signal);
  const handle = await line.open(what, signal, (sftp, done) => sftp.opendir(folder, done));
  try {
    for (;;) {
      const page = await line.call<FileEntry[] | null>(what, signal, (sftp, done) =>
        sftp.readdir(handle, (error, list) =>
          statusOf(error) === END_OF_FILE ? done(null, null) : done(error, list as FileEntry[]),
        ),
      );
      if (page === null) return;
      yield page;
    }
  } finally {
    line.close(handle);
  }
}

/** @returns null: it is no file, or gone; `elsewhere`: a link that leads out of the folder */
async function fileOf(
  session: SftpSession,
  folder: string,
  { name, attributes }: Candidate,
  signal: AbortSignal,
): Promise<RemoteFile | 'elsewhere' | null> {
  const type = attributes.mode === undefined ? undefined : attributes.mode & S_IFMT;
  if (type === S_IFREG) return describe(name, attributes);
  if (type !== undefined && type !== S_IFLNK) return null;
  const path = pathIn(folder, name);
  try {
    if (type === S_IFLNK && !(await leadsInside(session, folder, path, signal))) return 'elsewhere';
    const what = `looking at ${name}`;
    const followed = await session.call<Attributes>(what, signal, (sftp, done) => sftp.stat(path, done));
    return (followed.mode & S_IFMT) === S_IFREG ? describe(name, followed) : null;
  } catch (error) {
    if (error instanceof RemoteFailure && (error.code === 'NOT_FOUND' || error.code === 'NOT_ALLOWED')) return null;
    throw error;
  }
}

async function leadsInside(session: SftpSession, folder: string, path: string, signal: AbortSignal): Promise<boolean> {
  const real = (of: string) =>
    session.call<string>(`following the links of ${of}`, signal, (sftp, done) => sftp.realpath(of, done));
  const root = await real(folder);
  return (await real(path)).startsWith(root.endsWith('/') ? root : `${root}/`);
}

export function describe(name: string, { size, mtime }: Attributes): RemoteFile {
  const modifiedAt = mtime === undefined ? null : new Date(mtime * 1000);
  return { name, bytes: size ?? null, modifiedAt, version: `${size ?? ''}-${mtime ?? ''}` };
}

export function pathIn(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

function tooMany(folder: string): RemoteFailure {
  const message = `the folder ${folder} has more than ${MOST_ENTRIES} entries, or its listing does not end: move away what was taken`;
  return new RemoteFailure('TOO_LARGE', message);
}

function tooSlow(folder: string): RemoteFailure {
  return new RemoteFailure('TIMED_OUT', `the server does not come to the end of listing ${folder}`);
}
