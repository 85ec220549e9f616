/** Has a feed take a file once more that it has taken: its import was rejected, or stopped by the brake. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { RemoteFile } from '../../platform/remote/remote-folder.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { DomainError } from '../kernel/errors.js';
import { quoted } from '../kernel/value-problem.js';
import { lockFeed } from './feeds.js';
import type { Looked } from './look.js';
import { type NewRun, requestRun } from './start-run.js';

/**
 * Releases the file that was taken last under a name, and starts the run that takes it. Once: the file that is taken then is
 * known like every other.
 * @returns what to enqueue once `trx` has committed
 * @throws DomainError not-found; conflict FILE_IN_IMPORT, FEED_RUNNING, FEED_PAUSED
 */
export async function takeAgain(
  trx: Knex.Transaction,
  siteId: number,
  feedId: string,
  given: string,
  run: Omit<NewRun, 'cause' | 'lateByMinutes'>,
): Promise<OutboxEntry[]> {
  const feed = await lockFeed(trx, siteId, feedId);
  const last = await trx('feed_file')
    .leftJoin('job', 'job.id', 'feed_file.job_id')
    .where({ feed_id: feedId })
    // A Mac writes letters with accents otherwise than a keyboard.
    .whereIn('name', [given, given.normalize('NFC'), given.normalize('NFD')])
    .orderByRaw('feed_file.name = ? DESC, taken_at DESC', given)
    .first('feed_file.name', 'job_id', 'job.completed_at', 'job.id');
  if (last === undefined) {
    const message = `the feed ${quoted(feed.name)} has taken no file ${quoted(given)}: GET /feeds/{id}/files lists those that it has`;
    throw new DomainError('not-found', 'FEED_FILE_NOT_FOUND', message);
  }
  const { name } = last;
  if (last.id !== null && last.completed_at === null) {
    const message = `${quoted(name)} is still being imported: wait for the end of job ${last.job_id}, or cancel it`;
    throw new DomainError('conflict', 'FILE_IN_IMPORT', message);
  }
  await trx.raw(
    `UPDATE feed_file SET released_at = now() WHERE feed_id = :feedId AND name = :name
       AND taken_at = (SELECT max(taken_at) FROM feed_file WHERE feed_id = :feedId AND name = :name)`,
    { feedId, name },
  );
  return requestRun(trx, siteId, feedId, run);
}

/** A file that is to be taken again and does not lie in the folder any more: it is taken from the store. */
interface ReleasedFile {
  readonly file: RemoteFile;
  /** Null: its bytes are not kept any more. */
  readonly key: string | null;
}

/** By name. @param looked what lies in the folder */
export async function releasedFiles(db: Db, feedId: string, looked: Looked): Promise<ReleasedFile[]> {
  const { rows } = await db.raw<{ rows: ReleasedRow[] }>(
    `SELECT last.name, last.version, last.bytes::float8 AS bytes, file.storage_key AS key
     FROM (SELECT DISTINCT name FROM feed_file WHERE feed_id = :feedId AND released_at IS NOT NULL) AS released
     CROSS JOIN LATERAL (
       SELECT * FROM feed_file WHERE feed_id = :feedId AND name = released.name ORDER BY taken_at DESC LIMIT 1
     ) AS last
     LEFT JOIN job ON job.id = last.job_id LEFT JOIN file ON file.id = job.input_file_id
     WHERE last.released_at IS NOT NULL ORDER BY last.name COLLATE "C"`,
    { feedId },
  );
  const there = new Set([...looked.ready, ...looked.waiting].map(({ name }) => name));
  return rows
    .filter(({ name }) => !there.has(name))
    .map(({ name, version, bytes, key }) => ({ file: { name, version, bytes, modifiedAt: null }, key }));
}

interface ReleasedRow {
  readonly name: string;
  readonly version: string;
  readonly bytes: number;
  readonly key: string | null;
}
