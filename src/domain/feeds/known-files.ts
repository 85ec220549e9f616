/** The files that a feed has taken. */
import type { Db } from '../../../db/connection.js';
import type { RemoteFile } from '../../platform/remote/remote-folder.js';
import type { Page, PageRequest } from '../kernel/paging.js';
import type { Past } from './look.js';
import type { SourceRow } from './model/feed.js';
import { newestTaken } from './model/seen-file.js';

const AT_ONCE = 1_000;

/** Whether a file was taken as it is, by what the server tells of it: it need not be read again. */
type IsKnown = (file: RemoteFile) => boolean;

/** What is known of files with these names. */
async function knownFiles(db: Db, feedId: string, names: readonly string[]): Promise<IsKnown> {
  const known = new Set<string>();
  for (let from = 0; from < names.length; from += AT_ONCE) {
    // Of the last one that was taken under each name: a file may have again what it had before another one.
    const rows: { name: string; version: string; released_at: Date | null }[] = await db('feed_file')
      .where({ feed_id: feedId })
      .whereIn('name', names.slice(from, from + AT_ONCE))
      .distinctOn('name')
      .orderBy(['name', { column: 'taken_at', order: 'desc' }])
      .select('name', 'version', 'released_at');
    for (const { name, version, released_at: released } of rows) {
      if (released === null) known.add(JSON.stringify([name, version]));
    }
  }
  // A server that says nothing of a file is asked for its content each time.
  return ({ name, version }) => version !== '' && known.has(JSON.stringify([name, version]));
}

/** What a feed has taken, as a look has to know it. */
export function pastOf(db: Db, feed: Pick<SourceRow, 'id' | 'connection' | 'pick' | 'seen_file'>): Past {
  return { knownAmong: (names) => knownFiles(db, feed.id, names), newestAt: newestTaken(feed) };
}

interface TakenFile {
  readonly name: string;
  readonly checksum: string;
  readonly bytes: number;
  readonly job_id: string;
  readonly run_id: string;
  readonly taken_at: Date;
  readonly cleared_at: Date | null;
}

/** The newest first. */
export async function listTakenFiles(db: Db, feedId: string, { offset, limit }: PageRequest): Promise<Page<TakenFile>> {
  const [counted, rows] = await Promise.all([
    db('feed_file').where({ feed_id: feedId }).count<{ count: string }[]>('* as count'),
    db('feed_file')
      .where({ feed_id: feedId })
      .orderBy([{ column: 'taken_at', order: 'desc' }, 'name', 'checksum'])
      .offset(offset)
      .limit(limit)
      .select<TakenFile[]>(
        'name',
        'checksum',
        db.raw('bytes::float8 AS bytes'),
        'job_id',
        'run_id',
        'taken_at',
        'cleared_at',
      ),
  ]);
  return { rows, count: Number(counted[0]?.count ?? 0) };
}
