/** The files that a destination has made: one waits until it was sent, and those that were sent are known by their names. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { DestinationRow } from './model/feed.js';
import type { FeedContent, SentFile } from './model/feed-run-job.js';

/** A file that was exported and is to be sent. */
export interface Output {
  /** The run that exported it. */
  readonly runId: string;
  readonly name: string;
  readonly content: FeedContent;
  readonly whyWhole: string | null;
  readonly key: string;
  readonly rows: number;
  readonly bytes: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly readAt: Date;
}

const COLUMNS = {
  ...{ runId: 'run_id', name: 'name', content: 'content', whyWhole: 'why_whole', key: 'storage_key' },
  ...{ from: 'cursor_from', to: 'cursor_to', readAt: 'read_at' },
};

/** The file of a destination that waits; undefined: none does. */
export async function waitingOutput(db: Db, feedId: string): Promise<(Output & { readonly now: Date }) | undefined> {
  return db('feed_output')
    .where({ feed_id: feedId, state: 'WAITING' })
    .first({ ...COLUMNS, rows: db.raw('row_count::float8'), bytes: db.raw('bytes::float8'), now: db.raw('now()') });
}

/** Notes a file whose bytes are stored. The transaction has locked the row of the feed. */
export async function noteOutput(trx: Knex.Transaction, feedId: string, output: Output): Promise<void> {
  const { runId, name, content, whyWhole, key, rows, bytes, from, to, readAt } = output;
  await trx('feed_output')
    .insert({
      ...{ run_id: runId, feed_id: feedId, name, content, why_whole: whyWhole, storage_key: key, bytes },
      ...{ row_count: rows, cursor_from: from, cursor_to: to, read_at: readAt, state: 'WAITING' },
    })
    // The bytes of what this run made before were lost.
    .onConflict('run_id')
    .merge();
}

/**
 * Notes that a file was sent, and from where the next one tells of changes. The transaction has locked the row of the feed.
 * @returns false when the feed was changed meanwhile, so that the file is not what is wanted any more
 */
export async function noteSent(trx: Knex.Transaction, feed: DestinationRow, output: Output): Promise<boolean> {
  const sent = await trx('feed_output')
    .where({ run_id: output.runId, state: 'WAITING' })
    .update({ state: 'SENT', storage_key: null, sent_at: trx.fn.now() });
  if (sent === 0) return false;
  if (feed.destination.content === 'DELTA') await trx('feed').where({ id: feed.id }).update({ sent_cursor: output.to });
  return true;
}

/** A newer file takes its place, or its bytes are gone. It may lie there all the same. */
export async function dropOutput(db: Db, { runId }: Output): Promise<void> {
  await db('feed_output').where({ run_id: runId, state: 'WAITING' }).update({ state: 'DROPPED', storage_key: null });
}

interface OlderFile {
  readonly name: string;
  /** Each size with which it was exported: the newest may never have been sent. */
  readonly sizes: readonly number[];
}

/**
 * What may still be there beyond the newest so many files, the newest first. One that a newer file has taken the place of
 * was perhaps sent all the same, and counts as none of those that stay.
 */
export async function olderFiles(db: Db, feedId: string, newest: string, keep: number): Promise<OlderFile[]> {
  const { rows } = await db.raw<{ rows: OlderFile[] }>(
    `SELECT name, sizes FROM (
       SELECT *, row_number() OVER (PARTITION BY is_sent ORDER BY stored_at DESC) AS place FROM (
         SELECT name, array_agg(DISTINCT bytes::float8) AS sizes, max(stored_at) AS stored_at,
           bool_or(state = 'SENT') AS is_sent
         FROM feed_output WHERE feed_id = :feedId AND gone_at IS NULL AND name <> :newest GROUP BY name
       ) AS named
     ) AS file
     WHERE place > CASE WHEN is_sent THEN CAST(:others AS integer) ELSE 0 END ORDER BY stored_at DESC`,
    { feedId, newest, others: keep - 1 },
  );
  return rows;
}

export async function noteGone(db: Db, feedId: string, name: string): Promise<void> {
  await db('feed_output').where({ feed_id: feedId, name }).whereNull('gone_at').update({ gone_at: db.fn.now() });
}

/** What a report says of a file. */
export function reported({ name, content, whyWhole, rows, bytes, from, to }: Output): SentFile {
  return { name, content, whyWhole, rows, bytes, from, to };
}
