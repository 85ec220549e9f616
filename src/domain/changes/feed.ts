/** The feed of all changes of the items of a site, in the order in which they were committed. */
import type { Db } from '../../../db/connection.js';
import { prepared } from '../../../db/prepared.js';
import { NO_SITE } from '../access/sites.js';
import {
  type ChangeEntry,
  type ChangeFilter,
  type EntryRow,
  entriesAfter,
  entriesOf,
  entryColumns,
  isWanted,
} from './change-entry.js';
import {
  cursorGone,
  END_OF_SET,
  type FeedPlace,
  type FeedState,
  formatCursor,
  isPruned,
  NO_FEED,
  parseCursor,
  readFeedState,
} from './feed-cursor.js';
import { numberChanges } from './number-changes.js';

export interface FeedPage {
  readonly entries: readonly ChangeEntry[];
  /** Where the next call goes on: after the last entry, or after all that there was when there are no more. */
  readonly cursor: string;
  /** Whether there are further entries already. */
  readonly more: boolean;
  /** The last position that was read; meaningful when there is no more. */
  readonly position: number;
}

/** The cursor of the present: after all that is committed now. */
export async function presentCursor(db: Db, siteId: number): Promise<string> {
  const { epoch, last } = await openFeed(db, siteId);
  return formatCursor(epoch, { position: last, n: END_OF_SET });
}

/**
 * The cursor of a snapshot, which is read-only: all up to it is in the snapshot. What the snapshot has besides, because it
 * was committed and had no position yet, comes once more after the cursor. Call presentCursor before the snapshot begins.
 */
export async function cursorOfSnapshot(db: Db, siteId: number): Promise<string> {
  const { epoch, last } = (await readFeedState(db, siteId)) ?? NO_FEED;
  return formatCursor(epoch, { position: last, n: END_OF_SET });
}

/**
 * The entries after a cursor. None is left out and none comes twice, whatever is committed meanwhile.
 * @throws DomainError invalid or gone, as parseCursor; gone when changes after the cursor have been pruned
 */
export async function readFeed(
  db: Db,
  siteId: number,
  since: string,
  filter: ChangeFilter,
  limit: number,
): Promise<FeedPage> {
  const { epoch, pruned, last } = await openFeed(db, siteId);
  const place = parseCursor(since, epoch);
  if (isPruned(place, pruned)) throw cursorGone('changes after the cursor are no longer kept');
  if (place.position > last) throw cursorGone('the database was restored since the cursor was given');
  const found = await entriesBetween(db, siteId, place, last, filter, limit + 1);
  const entries = found.entries.slice(0, limit);
  const end = entries.at(-1);
  const isFull = found.entries.length > limit;
  // Without further entries that are wanted, the reader has seen all up to the last position that was read.
  const reached = isFull && end !== undefined ? placeOf(end) : { position: found.upTo, n: END_OF_SET };
  const more = isFull || found.upTo < last;
  return { entries, cursor: formatCursor(epoch, reached), more, position: found.upTo };
}

function placeOf({ position, n }: ChangeEntry): FeedPlace {
  return { position: position ?? 0, n };
}

/** Gives all that is committed now its position. */
export async function openFeed(db: Db, siteId: number): Promise<FeedState> {
  const before = await readFeedState(db, siteId);
  if (before !== undefined && !before.isOpen) return before;
  // There is no such site yet.
  if (siteId === NO_SITE) return NO_FEED;
  await db.raw('INSERT INTO change_feed (site_id) VALUES (?) ON CONFLICT DO NOTHING', [siteId]);
  await numberChanges(db, siteId);
  const after = await readFeedState(db, siteId);
  if (after === undefined) throw new Error(`the feed of site ${siteId} is not there`);
  return after;
}

/**
 * Reads a few sets first, then as many as the page seems to want: a set may have thousands of entries, or a single one.
 * Where few entries are wanted, it stops after a time, so that no call reads all that is kept.
 */
async function entriesBetween(
  db: Db,
  siteId: number,
  { position, n }: FeedPlace,
  last: number,
  filter: ChangeFilter,
  limit: number,
): Promise<{ readonly entries: readonly ChangeEntry[]; readonly upTo: number }> {
  const { sql, isAll, bindings } = isWanted(filter);
  const entries: ChangeEntry[] = [];
  const endsBy = performance.now() + LONGEST_MS;
  // A reader that has seen all of a set does not read it again.
  const begin = n === END_OF_SET ? position + 1 : position;
  let sets = FIRST_SETS;
  let first = begin;
  while (first <= last && entries.length < limit && (first === begin || performance.now() < endsBy)) {
    const missing = limit - entries.length;
    // Prepared: to plan it for all partitions takes longer than to read a page.
    const { rows } = await prepared<{ rows: EntryRow[] }>(
      db,
      `SELECT ${entryColumns(ORDER)} FROM change_set AS set CROSS JOIN LATERAL ${entriesAfter(PLACE, isAll ? ':wanted' : undefined)} AS entry
       WHERE set.site_id = :siteId AND set.position >= :first AND set.position < :beyond AND set.position <= :last AND ${sql}
       ORDER BY ${ORDER} LIMIT :wanted`,
      { siteId, position, n, last, first, beyond: first + sets, wanted: missing, ...bindings },
    );
    entries.push(...entriesOf(rows));
    first += sets;
    const enough = isAll && rows.length > 0 ? Math.ceil((missing * sets) / rows.length) : sets * MORE_SETS;
    sets = Math.min(enough, MOST_SETS);
  }
  return { entries, upTo: Math.min(first - 1, last) };
}

/** How long one call reads sets of which it wants nothing. */
const LONGEST_MS = 1_000;
const FIRST_SETS = 4;
const MORE_SETS = 4;
const MOST_SETS = 1_024;

/** SQL: after which place of a set the wanted entries stand. */
const PLACE = '(CASE WHEN set.position = :position THEN :n::integer ELSE 0 END)';
const ORDER = 'set.position, entry.n';
