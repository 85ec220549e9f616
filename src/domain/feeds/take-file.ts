/** Takes one file of a feed: its bytes go to the store, and the job that imports it is accepted once for each content that comes under its name. */
import { createHash, randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { FileStore } from '../../platform/file-store.js';
import { RemoteFailure, type RemoteFile, type RemoteFolder, tooLarge } from '../../platform/remote/remote-folder.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { contentTypeOf, formatOf } from '../formats/file-format.js';
import { typeOfFile } from '../imports/model/import-jobs.js';
import type { ImportOptions } from '../imports/model/import-options.js';
import { acceptJob } from '../jobs/accept-job.js';
import type { StepAttempt } from '../jobs/attempts.js';
import { newId } from '../kernel/identifier.js';
import type { FeedEnvironment } from './feed-environment.js';
import { actorOfFeed, type SourceRow } from './model/feed.js';
import type { FeedRunJob } from './model/feed-run-job.js';
import { addressOf } from './model/seen-file.js';
import { atPace } from './pace.js';

interface StoredFile {
  readonly key: string;
  readonly bytes: number;
  readonly checksum: string;
}

/** What became of a file. `gone` and `paused`: of the feed. */
export type Taken =
  | { readonly kind: 'accepted'; readonly outboxEntries: OutboxEntry[] }
  | { readonly kind: 'known' | 'stale' | 'gone' | 'paused' };

/** Reads a file into the store. @throws RemoteFailure; errors of the store; nothing is left there then */
export async function storeFile(
  fileStore: FileStore,
  folder: Pick<RemoteFolder, 'read' | 'endsSilence'>,
  file: RemoteFile,
  { maxBytes, idleMs, pace }: Pick<FeedEnvironment, 'maxBytes' | 'idleMs' | 'pace'>,
  signal: AbortSignal,
): Promise<StoredFile> {
  const source = await folder.read(file, { maxBytes }, signal);
  const key = `uploads/feed-${newId()}-${randomBytes(8).toString('hex')}`;
  const hash = createHash('sha256');
  let bytes = 0;
  const pending = await fileStore.create(key).catch((error: unknown) => {
    source.destroy();
    throw error;
  });
  // What goes on by itself after a silence is not to be ended by the same limit.
  const idle = folder.endsSilence === true ? UNWATCHED : watchSilence(source, file.name, idleMs);
  try {
    const counted = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of atPace(chunks, file.name, pace)) {
        idle.refresh();
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(file.name, maxBytes);
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(source, counted, pending.stream, { signal });
    await closed(pending.stream);
    await pending.commit();
    return { key, bytes, checksum: hash.digest('hex') };
  } catch (error) {
    await closed(pending.stream);
    await pending.discard();
    await fileStore.remove(key);
    throw error;
  } finally {
    idle.stop();
  }
}

/**
 * Accepts the job of a file whose bytes are stored, unless they are those of the last file that was taken under its name.
 * The bytes of a file that was not accepted are left to the caller.
 */
export function acceptFile(
  db: Db,
  attempt: StepAttempt<FeedRunJob>,
  feed: SourceRow,
  file: RemoteFile,
  stored: StoredFile,
  options: ImportOptions,
): Promise<Taken> {
  return withRetries(db, async (trx): Promise<Taken> => {
    if (!(await attempt.lock(trx))) return { kind: 'stale' };
    // Transactions that take a file of the feed wait for each other here, so that what was taken last is certain.
    const now = await trx('feed').where({ id: feed.id }).forNoKeyUpdate().first('state', trx.raw('now() AS at'));
    if (now === undefined) return { kind: 'gone' };
    if (now.state === 'PAUSED') return { kind: 'paused' };
    const jobId = newId();
    const isNew = await noteTaken(trx, feed, file, stored, { jobId, runId: attempt.jobId });
    await noteSeen(trx, feed, file, now.at);
    if (!isNew) return { kind: 'known' };
    await trx('feed_import').insert({ job_id: jobId, feed_id: feed.id });
    const { site_id: siteId, account_id: accountId, channel, file_type: type, locale } = feed;
    const fileId = newId();
    const contentType = contentTypeOf(formatOf(file.name));
    await trx('file').insert({
      ...{ id: fileId, type, name: file.name, locale, job_id: jobId, site_id: siteId, account_id: accountId },
      ...{ status: 'UPLOADED', storage_key: stored.key, content_type: contentType, bytes: stored.bytes },
      // The clocks of workers differ.
      ...{ uploaded_at: trx.fn.now(), created_at: trx.fn.now() },
    });
    const jobType = typeOfFile(type);
    const job = { id: jobId, siteId, accountId, channel, jobType, type, options, requestId: null };
    const actor = actorOfFeed(feed.id);
    return { kind: 'accepted', outboxEntries: await acceptJob(trx, { ...job, actor }, { kind: 'file', fileId }) };
  });
}

/** @returns false when it has the content of the last file that was taken under its name, unless that is to be taken again */
async function noteTaken(
  trx: Knex.Transaction,
  feed: SourceRow,
  { name, version }: RemoteFile,
  { checksum, bytes }: StoredFile,
  { jobId, runId }: { readonly jobId: string; readonly runId: string },
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { is_new: boolean }[] }>(
    `WITH last AS (
       SELECT CASE WHEN released_at IS NULL THEN checksum END AS checksum, taken_at FROM feed_file WHERE feed_id = :feedId AND name = :name ORDER BY taken_at DESC LIMIT 1
     ), found_again AS (
       UPDATE feed_file SET version = :version, cleared_at = NULL FROM last
       WHERE feed_id = :feedId AND name = :name AND feed_file.taken_at = last.taken_at AND last.checksum = :checksum
       RETURNING true
     ), taken AS (
       -- Later than the last one, also when the clock was set back.
       INSERT INTO feed_file (feed_id, name, checksum, version, bytes, job_id, run_id, taken_at)
       SELECT :feedId, :name, :checksum, :version, :bytes, :jobId, :runId,
         greatest(now(), (SELECT taken_at + interval '1 microsecond' FROM last))
       WHERE NOT EXISTS (SELECT FROM last WHERE last.checksum = :checksum)
       RETURNING true
     )
     SELECT EXISTS (SELECT FROM taken) AS is_new`,
    { feedId: feed.id, name, checksum, version, bytes, jobId, runId },
  );
  return rows[0]?.is_new === true;
}

/** A server behind https is asked next time whether there is another file; elsewhere an older one is not taken after the newest. */
async function noteSeen(
  trx: Knex.Transaction,
  { id, connection, pick }: SourceRow,
  file: RemoteFile,
  takenAt: Date,
): Promise<void> {
  const { modifiedAt } = file;
  const isHttps = connection.kind === 'https';
  // Of a file that is taken again from the store no time is known.
  if (!isHttps && (pick.take !== 'newest' || modifiedAt === null)) return;
  // A time in the future would make all that comes until then older.
  const at = !isHttps && modifiedAt !== null && modifiedAt > takenAt ? takenAt : modifiedAt;
  const seen = { ...file, modifiedAt: at, url: addressOf(connection), pattern: pick.pattern };
  await trx('feed')
    .where({ id })
    .update({ seen_file: JSON.stringify(seen) });
}

interface Silence {
  refresh(): void;
  stop(): void;
}

const UNWATCHED: Silence = { refresh: () => undefined, stop: () => undefined };

/** Ends a source that sends nothing for so long. */
function watchSilence(source: Readable, name: string, idleMs: number): Silence {
  const message = `no byte of ${name} has come for ${idleMs / 1000} seconds; nothing of it was kept`;
  const timer = setTimeout(() => source.destroy(new RemoteFailure('TIMED_OUT', message)), idleMs);
  return { refresh: () => timer.refresh(), stop: () => clearTimeout(timer) };
}

/** Waits for the stream to close, which flushes its bytes; one that is still being opened would create its file later. */
async function closed(stream: Writable): Promise<void> {
  if (!stream.writableFinished) stream.destroy();
  if (!stream.closed) await finished(stream).catch(() => undefined);
}
