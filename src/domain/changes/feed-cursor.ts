/** Cursors of the feed of changes of a site. */
import type { Db } from '../../../db/connection.js';
import { prepared } from '../../../db/prepared.js';
import { DomainError } from '../kernel/errors.js';

/** A place in the feed: after the entry `n` of the set at `position`. */
export interface FeedPlace {
  readonly position: number;
  readonly n: number;
}

/** Beyond the last entry of any set. */
export const END_OF_SET = 2_000_000_000;

/** Stands for the epoch of a stage that nobody has written to: before its first change, whatever becomes of it. */
const BEGINNING = '0'.repeat(16);

/** The feed of a stage that was never written to. */
export const NO_FEED: FeedState = { epoch: BEGINNING, pruned: 0, last: 0, isOpen: false };

const CURSOR = /^([0-9a-f]{16})-(\d{1,15})-(\d{1,10})$/;

export function formatCursor(epoch: string, { position, n }: FeedPlace): string {
  return Buffer.from(`${epoch}-${position}-${n}`).toString('base64url');
}

/** @throws DomainError invalid: it is none; gone: positions have been given anew since, or its changes are gone */
export function parseCursor(cursor: string, epoch: string): FeedPlace {
  const [, of, position, n] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  // No set has so many entries, and no integer of Postgres is much larger.
  if (of === undefined || Number(n) > END_OF_SET) {
    const message = '"since" is no cursor: send one that GET /changes or GET /changes/cursor has answered';
    throw new DomainError('invalid', 'INVALID_CURSOR', message);
  }
  if (of !== epoch && of !== BEGINNING) throw cursorGone('the database was restored since the cursor was given');
  return { position: Number(position), n: Number(n) };
}

/** Whether changes after a place have been dropped. @param pruned the last position that was; 0: none */
export function isPruned({ position, n }: FeedPlace, pruned: number): boolean {
  return pruned > 0 && (position < pruned || (position === pruned && n < END_OF_SET));
}

export function cursorGone(why: string): DomainError {
  const message = `${why}, so that changes may be missing after it: begin again with GET /changes/cursor, then export the items, and follow that cursor`;
  return new DomainError('gone', 'CURSOR_GONE', message);
}

/** The feed of a site as it is now. */
export interface FeedState {
  /**
   * What the cursors of the site belong to. It changes when positions may be given a second time: when the database is
   * another one than before, or a replica became the primary, when a dump was restored, or `forgetCursors` was called.
   */
  readonly epoch: string;
  /** The last position whose changes are no longer kept; 0: none. */
  readonly pruned: number;
  /** The last position that was given. */
  readonly last: number;
  /** Whether something is committed that has no position yet. */
  readonly isOpen: boolean;
}

/**
 * @returns undefined for a site whose feed nobody has asked for, and which has no changes with a position
 * @throws ReplicaAnswers
 */
export async function readFeedState(db: Db, siteId: number): Promise<FeedState | undefined> {
  const { rows } = await prepared<{ rows: (FeedState & { isReplica: boolean })[] }>(db, STATE, [siteId]);
  const [{ isReplica, ...state } = { isReplica: false, ...NO_FEED }] = rows;
  if (isReplica) throw new ReplicaAnswers();
  return rows.length === 0 ? undefined : state;
}

/**
 * The timeline is that of the write-ahead log, which is another one as soon as a replica is promoted: the control file says so only after
 * its next checkpoint. A replica has none of its own. The table differs from the one that a row was made in after a
 * dump was restored, and does not count otherwise.
 */
const STATE = `
  SELECT left(md5(concat_ws('/', system.system_identifier, log.timeline, database.oid, feed.epoch,
      nullif(feed.tableoid, feed.of_table))), 16) AS epoch,
    feed.pruned_position AS pruned, feed.last_position AS last, log.timeline IS NULL AS "isReplica",
    EXISTS (
      SELECT FROM change_set WHERE site_id = feed.site_id AND position IS NULL AND NOT preview) AS "isOpen"
  FROM change_feed AS feed, pg_control_system() AS system,
    (SELECT oid FROM pg_database WHERE datname = current_database()) AS database,
    (SELECT CASE WHEN NOT pg_is_in_recovery() THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END
       AS timeline) AS log
  WHERE feed.site_id = ?`;

/**
 * A replica does not know what it lacks: a cursor of the primary would seem to be of a time before a restore, or of the present.
 * It is an outage, which passes: a client that tries again reaches the primary then.
 */
class ReplicaAnswers extends Error {
  /** What Postgres answers to a write there. */
  readonly code = '25006';

  constructor() {
    super('the database is a replica, which may lack changes: point DATABASE_URL to the primary server');
  }
}

/** Makes all cursors that were given so far invalid: after the tables were restored from a backup. */
export async function forgetCursors(db: Db): Promise<void> {
  await db.raw('UPDATE change_feed SET epoch = left(md5(random()::text || clock_timestamp()::text), 8)');
}
