/** Chooses the feed that is looked at next: each by one process at a time, and few of an account. */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { SourceRow } from './model/feed.js';
import { rightsOf } from './owner.js';
import { pauseFeed } from './pause-feed.js';

/** A look that takes longer has failed. */
export const LOOK_MS = 60_000;
/** A process that died during a look keeps its place so much longer. */
const GRACE_MS = 30_000;
/** Looks and runs of an account at the same time: servers that do not answer must not keep those of others from being looked at. */
const MOST_OF_ACCOUNT = 2;

export type ClaimedLook = Pick<
  SourceRow,
  'id' | 'account_id' | 'connection' | 'secrets' | 'pick' | 'afterwards' | 'look' | 'version' | 'seen_file'
>;

/** Of one process at a time, so that the looks of an account can be counted. */
const FIRST = 'SELECT pg_try_advisory_xact_lock(?) AS "isFirst"';

const DUE_FEEDS = `
  FROM feed
  WHERE direction = 'SOURCE' AND state = 'ACTIVE' AND next_run_at <= now() AND schedule ->> 'everySeconds' IS NOT NULL
    AND (look_until IS NULL OR look_until < now())`;

/** Whether any may be due: most often none is, and no transaction is needed to know that. */
export async function isAnyLookDue(db: Db): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { due: boolean }[] }>(`SELECT EXISTS (SELECT ${DUE_FEEDS}) AS due`);
  return rows[0]?.due === true;
}

/** Accounts that have as many as they may are found once: they may have thousands of feeds that are due. */
const DUE = `
  WITH busy AS (
    SELECT account_id FROM (
      SELECT account_id FROM feed WHERE look_until > now()
      UNION ALL
      SELECT feed.account_id FROM feed_run JOIN job ON job.id = feed_run.job_id JOIN feed ON feed.id = feed_run.feed_id
      WHERE ended_at IS NULL AND job.completed_at IS NULL
    ) AS under_way
    GROUP BY account_id HAVING count(*) >= ${MOST_OF_ACCOUNT}
  )
  SELECT feed.* ${DUE_FEEDS}
    AND NOT EXISTS (SELECT FROM job WHERE job.id = feed.last_job_id AND job.completed_at IS NULL)
    AND account_id NOT IN (SELECT account_id FROM busy)
  ORDER BY next_run_at LIMIT 1 FOR UPDATE OF feed SKIP LOCKED`;

/**
 * @param outboxEntries what to enqueue after the commit is added
 * @returns null: none is due; `paused`: the feed that was due may do nothing any more
 */
export async function claimLook(
  trx: Knex.Transaction,
  outboxEntries: OutboxEntry[] = [],
): Promise<ClaimedLook | 'paused' | null> {
  const { rows: locks } = await trx.raw<{ rows: { isFirst: boolean }[] }>(FIRST, [ADVISORY_LOCKS.feedLooks]);
  if (locks[0]?.isFirst !== true) return null;
  const { rows } = await trx.raw<{ rows: SourceRow[] }>(DUE);
  const [feed] = rows;
  if (feed === undefined) return null;
  const rights = await rightsOf(trx, feed);
  if ('refused' in rights) {
    outboxEntries.push(...(await pauseFeed(trx, feed, null, rights.refused)));
    return 'paused';
  }
  await trx('feed')
    .where({ id: feed.id })
    .update({
      look: feed.look + 1,
      look_until: trx.raw("now() + ? * interval '1 millisecond'", [LOOK_MS + GRACE_MS]),
    });
  return { ...feed, look: feed.look + 1 };
}
