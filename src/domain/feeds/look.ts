/** Looks at the folder of a feed, and says which of its files are complete. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RemoteFile, RemoteFolder } from '../../platform/remote/remote-folder.js';
import type { SourceRow } from './model/feed.js';

/** New files that one look finds, by name. Those that were taken do not count. */
export const MOST_FILES = 10_000;

export interface Looked {
  /** How many files match. */
  readonly seen: number;
  /** How many of them were taken as they are. */
  readonly known: number;
  /** Those that may be taken, by name; with those that were, as far as they are remembered. */
  readonly ready: readonly RemoteFile[];
  readonly isKnown: (file: RemoteFile) => boolean;
  /** Those that are still being written, or whose marker is missing. */
  readonly waiting: readonly RemoteFile[];
  /** There are more new files than one look finds. */
  readonly more: boolean;
  /** The newest that is there, and is not taken because it is older than the one that was taken last; null: none is. */
  readonly outdated: RemoteFile | null;
}

/** What is known of files that were taken. */
export interface Past {
  readonly knownAmong: KnownAmong;
  /** When the file was changed that was taken last, where only the newest is taken; null: it is not known. */
  readonly newestAt: Date | null;
}

/** Which of some files were taken as they are: those need not be complete again. */
type KnownAmong = (names: readonly string[]) => Promise<(file: RemoteFile) => boolean>;

/**
 * @param settles false: one look has to do, for a test
 */
export async function lookAt(
  folder: RemoteFolder,
  pick: SourceRow['pick'],
  past: Past,
  signal: AbortSignal,
  settles = true,
): Promise<Looked> {
  const { seen, known, knownCount, unknown, more, outdated } = await survey(folder, pick, past, signal);
  const complete =
    pick.doneMarker !== null
      ? await marked(folder, pick, unknown, signal)
      : settles && unknown.length > 0
        ? await settled(folder, pick, unknown, signal)
        : new Set(unknown.map(({ name }) => name));
  const isComplete = ({ name }: RemoteFile) => complete.has(name);
  const ready = [...known, ...unknown.filter(isComplete)].sort((one, other) => (one.name < other.name ? -1 : 1));
  const waiting = unknown.filter((file) => !isComplete(file));
  return { seen, known: knownCount, ready, isKnown: (file) => known.has(file), waiting, more, outdated };
}

interface Survey {
  readonly seen: number;
  /** The first of those that were taken, which may have to be moved away. */
  readonly known: ReadonlySet<RemoteFile>;
  readonly knownCount: number;
  readonly unknown: readonly RemoteFile[];
  readonly more: boolean;
  readonly outdated: RemoteFile | null;
}

/** All files are looked at, and few are kept: new ones come behind any number of those that were taken. */
async function survey(
  folder: RemoteFolder,
  pick: SourceRow['pick'],
  { knownAmong, newestAt }: Past,
  signal: AbortSignal,
): Promise<Survey> {
  const known = new Set<RemoteFile>();
  let [seen, knownCount] = [0, 0];
  let newest: RemoteFile | undefined;
  const unknownOf = async (files: readonly RemoteFile[]) => {
    const isKnown = await knownAmong(files.map(({ name }) => name));
    for (const file of files.filter(isKnown)) {
      knownCount++;
      if (known.size < MOST_FILES) known.add(file);
    }
    return files.filter((file) => !isKnown(file));
  };
  const sift = async (found: readonly RemoteFile[]) => {
    const files = found.filter((file) => !isMarker(file, pick));
    seen += files.length;
    if (pick.take !== 'newest') return unknownOf(files);
    newest = newestOf(newest, files);
    return [];
  };
  const { files, more } = await folder.list({ pattern: pick.pattern, limit: MOST_FILES, sift }, signal);
  const unknown = newest === undefined ? files : await unknownOf([newest]);
  // Where what was taken is moved away, those before it would come next, one by one, and bring back what it has changed.
  const [outdated = null] = pick.take === 'newest' ? unknown.filter((file) => isBefore(file, newestAt)) : [];
  return { seen, known, knownCount, unknown: outdated === null ? unknown : [], more, outdated };
}

function isBefore({ modifiedAt }: RemoteFile, newestAt: Date | null): boolean {
  return modifiedAt !== null && newestAt !== null && modifiedAt < newestAt;
}

function isMarker({ name }: RemoteFile, { doneMarker }: SourceRow['pick']): boolean {
  return doneMarker !== null && name.endsWith(doneMarker);
}

/** The name of the file that says that another one is complete. */
export function markerOf(name: string, { doneMarker }: Pick<SourceRow['pick'], 'doneMarker'>): string | null {
  return doneMarker === null ? null : `${name}${doneMarker}`;
}

/** The files with these names, as they are now. */
export async function filesNamed(
  folder: RemoteFolder,
  pattern: string,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RemoteFile>> {
  const sift = async (found: readonly RemoteFile[]) => found.filter(({ name }) => names.has(name));
  const { files } = await folder.list({ pattern, limit: names.size, sift }, signal);
  return new Map(files.map((file) => [file.name, file]));
}

/** The file that was changed last; of several, or where times are not known, the last by name. */
function newestOf(before: RemoteFile | undefined, files: readonly RemoteFile[]): RemoteFile | undefined {
  const timeOf = ({ modifiedAt }: RemoteFile) => modifiedAt?.getTime() ?? 0;
  return files.reduce((last, file) => (last === undefined || timeOf(file) >= timeOf(last) ? file : last), before);
}

/** The names of those whose marker is there, and not older than the file: that of a former file says nothing. */
async function marked(
  folder: RemoteFolder,
  pick: SourceRow['pick'],
  files: readonly RemoteFile[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const wanted = new Set(files.map(({ name }) => markerOf(name, pick) ?? ''));
  const markers = await filesNamed(folder, `${pick.pattern}${pick.doneMarker}`, wanted, signal);
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
  const later = await filesNamed(folder, pick.pattern, new Set(files.map(({ name }) => name)), signal);
  return new Set(files.filter(({ name, version }) => later.get(name)?.version === version).map(({ name }) => name));
}
