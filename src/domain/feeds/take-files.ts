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
import { acceptFile, storeFile, type Taken } from './take-file.js';

interface Taking {
  readonly attempt: StepAttempt<FeedRunJob>;
  readonly feed: SourceRow;
  readonly folder: RemoteFolder;
  readonly looked: Looked;
  readonly counts: RunCounts;
  readonly signal: AbortSignal;
}

type Result =
  /** `done`: the files of which a job was accepted, now or before. */
  | { readonly kind: 'done'; readonly done: readonly RemoteFile[] }
  | { readonly kind: 'stale' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'paused' };

/** @throws RemoteFailure or DomainError when no further file can be taken; errors of the store */
export async function takeFiles(services: FeedServices, taking: Taking): Promise<Result> {
  const { feed, looked, counts, signal } = taking;
  const done: RemoteFile[] = [];
  const optionsFor = rememberedOptions(services, feed);
  for (const file of looked.ready) {
    signal.throwIfAborted();
    const problem = fileNameProblem(file.name);
    if (problem !== undefined) {
      counts.refuse(file.name, problem);
      continue;
    }
    if (looked.isKnown(file)) {
      counts.known++;
      done.push(file);
      continue;
    }
    const taken = await takeOne(services, taking, file, await optionsFor(file.name));
    if (taken === null) continue;
    if (taken.kind === 'accepted') {
      counts.taken++;
      await services.follow(taken.outboxEntries, feed.site_id);
    } else if (taken.kind === 'known') counts.known++;
    else return { kind: taken.kind };
    done.push(file);
  }
  return { kind: 'done', done };
}

/** @returns null when the file cannot be taken, but others may */
async function takeOne(
  { db, fileStore, environment }: FeedServices,
  { attempt, feed, folder, counts, signal }: Taking,
  file: RemoteFile,
  options: ImportOptions,
): Promise<Taken | null> {
  await requireRoom({ db, fileStore, environment }, feed, file.bytes ?? 0);
  const stored = await storeFile(fileStore, folder, file, environment, signal).catch((error: unknown) => {
    if (error instanceof RemoteFailure && isOfFile(counts, file, error)) return null;
    throw error;
  });
  if (stored === null) return null;
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

/** Notes a failure that is about one file, and not about the server. @returns whether it is */
function isOfFile(counts: RunCounts, { name }: RemoteFile, { code, message }: RemoteFailure): boolean {
  switch (code) {
    case 'CHANGED_WHILE_READ':
      counts.waiting = [...counts.waiting, name];
      return true;
    case 'NOT_FOUND':
      return true;
    case 'TOO_LARGE':
    case 'NOT_A_FILE':
      counts.refuse(name, message);
      counts.fail(code, message);
      return true;
    default:
      return false;
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
