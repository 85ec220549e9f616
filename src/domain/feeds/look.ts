/** Looks at the folder of a feed, and says which of its files are complete. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RemoteFile, RemoteFolder } from '../../platform/remote/remote-folder.js';
import type { SourceRow } from './model/feed.js';

/** Files of a folder that are looked at, by name. */
export const MOST_FILES = 10_000;

export interface Looked {
  /** How many files match. */
  readonly seen: number;
  /** Those that may be taken, by name. */
  readonly ready: readonly RemoteFile[];
  readonly isKnown: (file: RemoteFile) => boolean;
  /** Those that are still being written, or whose marker is missing. */
  readonly waiting: readonly RemoteFile[];
  /** There are more files than are looked at. */
  readonly more: boolean;
}

/** Which of some files were taken as they are: those need not be complete again. */
type KnownAmong = (names: readonly string[]) => Promise<(file: RemoteFile) => boolean>;

/**
 * @param settles false: one look has to do, for a test
 */
export async function lookAt(
  folder: RemoteFolder,
  pick: SourceRow['pick'],
  knownAmong: KnownAmong,
  signal: AbortSignal,
  settles = true,
): Promise<Looked> {
  const { files, more } = await listFiles(folder, pick, signal);
  const wanted = pick.take === 'newest' ? newestOf(files) : files;
  const isKnown = await knownAmong(wanted.map(({ name }) => name));
  const unknown = wanted.filter((file) => !isKnown(file));
  const complete =
    pick.doneMarker !== null
      ? await marked(folder, pick, unknown, signal)
      : settles && unknown.length > 0
        ? await settled(folder, pick, unknown, signal)
        : new Set(unknown.map(({ name }) => name));
  const isReady = (file: RemoteFile) => isKnown(file) || complete.has(file.name);
  const waiting = wanted.filter((file) => !isReady(file));
  return { seen: files.length, ready: wanted.filter(isReady), isKnown, waiting, more };
}

/** The name of the file that says that another one is complete. */
export function markerOf(name: string, { doneMarker }: Pick<SourceRow['pick'], 'doneMarker'>): string | null {
  return doneMarker === null ? null : `${name}${doneMarker}`;
}

export async function listFiles(folder: RemoteFolder, { pattern, doneMarker }: SourceRow['pick'], signal: AbortSignal) {
  const { files, more } = await folder.list({ pattern, limit: MOST_FILES }, signal);
  return { files: doneMarker === null ? files : files.filter(({ name }) => !name.endsWith(doneMarker)), more };
}

/** The file that was changed last; of several, or where times are not known, the last by name. */
function newestOf(files: readonly RemoteFile[]): RemoteFile[] {
  const timeOf = ({ modifiedAt }: RemoteFile) => modifiedAt?.getTime() ?? 0;
  const newest = files.reduce<RemoteFile | undefined>(
    (last, file) => (last === undefined || timeOf(file) >= timeOf(last) ? file : last),
    undefined,
  );
  return newest === undefined ? [] : [newest];
}

/** The names of those whose marker is there, and not older than the file: that of a former file says nothing. */
async function marked(
  folder: RemoteFolder,
  pick: SourceRow['pick'],
  files: readonly RemoteFile[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const { files: listed } = await folder.list(
    { pattern: `${pick.pattern}${pick.doneMarker}`, limit: MOST_FILES },
    signal,
  );
  const markers = new Map(listed.map((file) => [file.name, file]));
  const isMarked = (file: RemoteFile) => {
    const marker = markers.get(markerOf(file.name, pick) ?? '');
    if (marker === undefined) return false;
    return marker.modifiedAt === null || file.modifiedAt === null || marker.modifiedAt >= file.modifiedAt;
  };
  return new Set(files.filter(isMarked).map(({ name }) => name));
}

/** The names of those whose size and time are the same a while later. */
async function settled(
  folder: RemoteFolder,
  pick: SourceRow['pick'],
  files: readonly RemoteFile[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  await delay(pick.settleSeconds * 1000, undefined, { signal });
  const later = new Map((await listFiles(folder, pick, signal)).files.map(({ name, version }) => [name, version]));
  return new Set(files.filter(({ name, version }) => later.get(name) === version).map(({ name }) => name));
}
