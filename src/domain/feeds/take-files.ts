/** Takes the files of a feed that are complete, one after another, in the order of their names. */
import { RemoteFailure, type RemoteFile, type RemoteFolder } from '../../platform/remote/remote-folder.js';
import { createQuotaKeeper } from '../access/quota-keeper.js';
import { quotasOf } from '../access/quotas.js';
import { fileNameProblem } from '../files/file-name.js';
import { formatOf } from '../formats/file-format.js';
import type { ImportOptions } from '../imports/model/import-options.js';
import type { StepAttempt } from '../jobs/attempts.js';
import { DomainError } from '../kernel/errors.js';
import type { FeedServices } from './feed-environment.js';
import { importOptionsOf } from './import-options.js';
import type { Looked } from './look.js';
import type { SourceRow } from './model/feed.js';
import type { FeedRunJob } from './model/feed-run-job.js';
import type { RunCounts } from './run-report.js';
import { releasedFiles } from './take-again.js';
import { acceptFile, storeFile, type Taken } from './take-file.js';

interface Taking {
  readonly attempt: StepAttempt<FeedRunJob>;
  readonly feed: SourceRow;
  readonly folder: RemoteFolder;
  readonly looked: Looked;
  readonly counts: RunCounts;
  /** The files of which a job was accepted, now or before: they are added. */
  readonly done: RemoteFile[];
  readonly signal: AbortSignal;
}

/**
 * What concerns one file is noted of it, and the others are taken; where each builds on those before it, those behind it wait.
 * @throws RemoteFailure or DomainError when no further file can be taken; errors of the store
 */
export async function takeFiles(services: FeedServices, taking: Taking): Promise<'done' | Ended> {
  const { feed, looked, counts, done, signal } = taking;
  counts.known = looked.known;
  const firstWaiting = looked.waiting[0]?.name;
  let isHeld = false;
  const optionsFor = rememberedOptions(services, feed);
  for (const { file, key } of await releasedFiles(services.db, feed.id, looked)) {
    signal.throwIfAborted();
    const ended = await takeStored(services, taking, file, key, await optionsFor(file.name));
    if (ended !== undefined) return ended;
  }
  for (const file of looked.ready) {
    signal.throwIfAborted();
    const problem = fileNameProblem(file.name);
    if (problem !== undefined) {
      counts.refuse(file.name, problem);
      continue;
    }
    if (looked.isKnown(file)) {
      done.push(file);
      continue;
    }
    isHeld ||= feed.pick.take === 'inOrder' && firstWaiting !== undefined && firstWaiting < file.name;
    if (isHeld) {
      counts.held++;
      continue;
    }
    const taken = await takeOne(services, taking, file, taking.folder, await optionsFor(file.name));
    if (taken === 'gone') continue;
    if (taken === 'left') {
      isHeld = feed.pick.take === 'inOrder';
      continue;
    }
    const ended = await noteTaking(services, taking, taken);
    if (ended !== undefined) return ended;
    done.push(file);
  }
  return 'done';
}

/** The feed may take nothing more. */
type Ended = Exclude<Taken['kind'], 'accepted' | 'known'>;

/** Takes a file again that does not lie in the folder any more. */
async function takeStored(
  services: FeedServices,
  taking: Taking,
  file: RemoteFile,
  key: string | null,
  options: ImportOptions,
): Promise<Ended | undefined> {
  const { fileStore } = services;
  if (key === null || (await fileStore.size(key)) === null) {
    taking.counts.refuse(file.name, 'is to be taken again, and is neither there nor kept any more: put it there');
    return undefined;
  }
  const taken = await takeOne(services, taking, file, { read: () => fileStore.read(key) }, options);
  return typeof taken === 'string' ? undefined : noteTaking(services, taking, taken);
}

async function noteTaking(services: FeedServices, { counts, feed }: Taking, taken: Taken): Promise<Ended | undefined> {
  if (taken.kind === 'accepted') {
    counts.taken++;
    await services.follow(taken.outboxEntries, feed.site_id);
  } else if (taken.kind === 'known') counts.known++;
  else return taken.kind;
  return undefined;
}

/** @returns `left` when the file cannot be taken, but others may; `gone`: it is not there any more */
async function takeOne(
  { db, fileStore, environment }: FeedServices,
  { attempt, feed, counts, signal }: Taking,
  file: RemoteFile,
  folder: Pick<RemoteFolder, 'read' | 'endsSilence'>,
  options: ImportOptions,
): Promise<Taken | 'left' | 'gone'> {
  await requireRoom({ db, fileStore, environment }, feed, file.bytes ?? 0);
  const stored = await storeFile(fileStore, folder, file, environment, signal).catch((error: unknown) => {
    if (!(error instanceof RemoteFailure)) throw error;
    return noteFault(counts, file, error);
  });
  if (typeof stored === 'string') return stored;
  try {
    const taken = await acceptFile(db, attempt, feed, file, stored, options);
    if (taken.kind !== 'accepted') await fileStore.remove(stored.key);
    return taken;
  } catch (error) {
    // If the connection was lost at the commit, its outcome is unknown: bytes that are left only cost space.
    if (await isRecorded(db, stored.key).catch(() => true)) throw error;
    await fileStore.remove(stored.key);
    throw error;
  }
}

async function isRecorded(db: FeedServices['db'], key: string): Promise<boolean> {
  return (await db('file').where({ storage_key: key }).first('id')) !== undefined;
}

/** Notes a failure that is about one file. @throws it when it is about the server */
function noteFault(counts: RunCounts, { name }: RemoteFile, failure: RemoteFailure): 'left' | 'gone' {
  switch (failure.code) {
    case 'CHANGED_WHILE_READ':
      counts.waiting = [...counts.waiting, name];
      counts.growing++;
      return 'left';
    case 'NOT_FOUND':
      return 'gone';
    // The listing has shown it: the server lets us in.
    case 'NOT_ALLOWED':
    case 'NOT_SUPPORTED':
    case 'TOO_LARGE':
    case 'NOT_A_FILE':
      counts.blame(name, failure);
      return 'left';
    default:
      throw failure;
  }
}

/** The options for the files of each format, as they are when the first of these is taken. */
function rememberedOptions({ db }: FeedServices, feed: SourceRow): (name: string) => Promise<ImportOptions> {
  const known = new Map<string, ImportOptions>();
  return async (name) => {
    const { format } = formatOf(name);
    const options = known.get(format) ?? (await importOptionsOf(db, feed, format));
    known.set(format, options);
    return options;
  };
}

/** @throws DomainError when the account or the store has no room for the file */
async function requireRoom(
  { db, fileStore, environment }: Pick<FeedServices, 'db' | 'fileStore' | 'environment'>,
  { account_id: accountId }: SourceRow,
  bytes: number,
): Promise<void> {
  const account = await db('account').where({ id: accountId }).first('quotas');
  const quotas = quotasOf(account?.quotas);
  const keeper = createQuotaKeeper(db);
  await keeper.requireRows(accountId, quotas, 0);
  await keeper.requireBytes(accountId, quotas, bytes);
  if ((await fileStore.freeBytes()) - bytes >= environment.reserveBytes) return;
  const message = 'the file store is nearly full, and keeps its free space for work that was already accepted';
  throw new DomainError('unavailable', 'STORE_FULL', message);
}
