/** Finds, saves, changes and deletes feeds. */
import type { Knex } from 'knex';
import pg from 'pg';
import type { Db } from '../../../db/connection.js';
import type { Secrets } from '../../platform/remote/remote-folder.js';
import type { SiteContext } from '../access/site-context.js';
import { DomainError } from '../kernel/errors.js';
import { isId, newId } from '../kernel/identifier.js';
import type { Page, PageRequest } from '../kernel/paging.js';
import { quoted } from '../kernel/value-problem.js';
import { beginAnew, sourceOf } from './destination-rows.js';
import { columnsOf, type FeedSaver, readNow, settingsOf } from './feed-rows.js';
import { type GivenSecrets, requireSameRecipient, sealSecrets } from './feed-secrets.js';
import { type FeedRun, findRuns } from './list-runs.js';
import type { FeedRow } from './model/feed.js';
import type { DestinationSettings, FeedSettings, SourceSettings } from './model/feed-settings.js';
import { missingRight } from './owner.js';
import { dueAfter, followedBy, plannedAnew } from './planned-anew.js';
import { RESTORED } from './restored-feeds.js';

/** Of a stage: a list of them can still be read. */
const MAX_FEEDS = 200;
const UNIQUE_VIOLATION = '23505';
const PAUSED_ON_REQUEST = 'paused on request';
const SAVED_SINCE = 'paused, and saved again since then: set its state to ACTIVE to have it go on';

/** A feed as lists show it: with who has saved it, and the source after whose imports it runs; `now` by the clock of the database. */
export type FoundFeed = FoundRow & { readonly lastRun: FeedRun | null };
type FoundRow = FeedRow & {
  readonly saver_name: string | null;
  readonly after_name: string | null;
  readonly now: Date;
};

type Changed<Settings> = { readonly [Member in keyof Settings]?: Settings[Member] | undefined };

/** What changes, of members that a feed of its direction has: absent ones stay as they are. */
export type FeedChange = Omit<Changed<SourceSettings> & Changed<DestinationSettings>, 'direction' | 'connection'> & {
  readonly connection?: FeedSettings['connection'] | undefined;
};

const NAMES = `coalesce((SELECT name FROM oauth_client WHERE oauth_client.id = saved_by_client),
  (SELECT name FROM access_token WHERE access_token.id = saved_by)) AS saver_name,
  (SELECT source.name FROM feed AS source WHERE source.id = feed.after_feed_id) AS after_name, now() AS now`;

/** By name. */
export async function listFeeds(db: Db, siteId: number, { offset, limit }: PageRequest): Promise<Page<FoundFeed>> {
  const [counted, rows] = await Promise.all([
    db('feed').where({ site_id: siteId }).count<{ count: string }[]>('* as count'),
    db('feed')
      .where({ site_id: siteId })
      .orderBy(['name_key', 'id'])
      .offset(offset)
      .limit(limit)
      .select('*', db.raw(NAMES)),
  ]);
  return { rows: await withRuns(db, rows), count: Number(counted[0]?.count ?? 0) };
}

/** @throws DomainError not-found */
export async function findFeed(db: Db, siteId: number, id: string): Promise<FoundFeed> {
  const rows = isId(id) ? await db('feed').where({ id, site_id: siteId }).select('*', db.raw(NAMES)) : [];
  const [found] = await withRuns(db, rows);
  if (found === undefined) throw noSuchFeed(id);
  return found;
}

async function withRuns(db: Db, rows: readonly FoundRow[]): Promise<FoundFeed[]> {
  const runs = await findRuns(
    db,
    rows.flatMap(({ last_job_id: id }) => (id === null ? [] : [id])),
  );
  return rows.map((row) => ({ ...row, lastRun: runs.get(row.last_job_id ?? '') ?? null }));
}

/** @throws DomainError conflict FEED_EXISTS, FEED_LIMIT; forbidden when who saves it may not import or export */
export async function createFeed(
  trx: Knex.Transaction,
  site: SiteContext,
  settings: FeedSettings,
  secrets: Secrets,
  saver: FeedSaver,
  secretsKeys: readonly string[],
): Promise<FoundFeed> {
  requireRight(saver, settings);
  const { siteId, accountId, channel } = site;
  // Of two at the same time, the second counts the first.
  await trx('site').where({ id: siteId }).forNoKeyUpdate().first('id');
  const [{ count = '0' } = {}] = await trx('feed').where({ site_id: siteId }).count<{ count: string }[]>('* as count');
  if (Number(count) >= MAX_FEEDS) {
    const message = `this stage has ${count} feeds, which is the limit: delete those that are not needed`;
    throw new DomainError('conflict', 'FEED_LIMIT', message);
  }
  const id = newId();
  const now = await readNow(trx);
  const times = { next_run_at: dueAfter(settings, false, now), expects_since: now, created_at: now, updated_at: now };
  const inserted = await trx('feed')
    .insert({
      ...{ id, site_id: siteId, account_id: accountId, channel, version: 1, ...times },
      ...columnsOf(settings, saver),
      ...(settings.direction === 'SOURCE' ? {} : { after_feed_id: await sourceOf(trx, siteId, settings.after) }),
      secrets: sealSecrets(secretsKeys, id, secrets),
      pause_reason: settings.state === 'PAUSED' ? PAUSED_ON_REQUEST : null,
    })
    .onConflict(['site_id', 'name_key'])
    .ignore()
    .returning('id');
  if (inserted.length === 0) throw feedExists(settings.name);
  return findFeed(trx, siteId, id);
}

/**
 * Who changes a feed has saved it from then on.
 * @param expected the version that the client has read; null: whichever there is
 * @throws DomainError not-found; conflict FEED_CHANGED, FEED_EXISTS; invalid when a secret would be sent elsewhere;
 *   forbidden when who saves it may not import or export
 */
export async function updateFeed(
  trx: Knex.Transaction,
  siteId: number,
  id: string,
  change: FeedChange,
  given: GivenSecrets,
  saver: FeedSaver,
  secretsKeys: readonly string[],
  expected: number | null,
): Promise<FoundFeed> {
  const before = await lockFeed(trx, siteId, id);
  if (expected !== null && expected !== before.version) {
    const message = `the feed ${quoted(before.name)} was changed meanwhile: you sent version ${expected}, and its newest is ${before.version}. Read it again`;
    throw new DomainError('conflict', 'FEED_CHANGED', message);
  }
  const settings = { ...settingsOf(before), ...definedOf(change) } as FeedSettings;
  requireRight(saver, settings);
  if (given === undefined) requireSameRecipient(before, settings.connection);
  const now = await readNow(trx);
  const resumes = before.state === 'PAUSED' && settings.state === 'ACTIVE';
  const pauses = before.state === 'ACTIVE' && settings.state === 'PAUSED';
  const followed = change.after === undefined ? followedBy(before) : await sourceOf(trx, siteId, change.after);
  const expects = resumes || settings.expectWithinMinutes !== before.expect_within_minutes;
  try {
    await trx('feed')
      .where({ id })
      .update({
        ...columnsOf(settings, saver),
        after_feed_id: followed,
        ...(given === undefined ? {} : { secrets: sealSecrets(secretsKeys, id, given) }),
        version: before.version + 1,
        ...(await plannedAnew(trx, before, settings, followed, now)),
        ...(expects ? { expects_since: now } : {}),
        pause_reason: pauses ? PAUSED_ON_REQUEST : resumes ? null : stillPaused(before),
        ...(pauses ? { asked_for: null } : {}),
        // What could not be taken before may be now.
        looked: null,
        updated_at: now,
      });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) throw feedExists(settings.name);
    throw error;
  }
  if (before.direction === 'DESTINATION' && settings.direction === 'DESTINATION') {
    await beginAnew(trx, before, settings);
  }
  return findFeed(trx, siteId, id);
}

/** What it has taken and written is forgotten: a feed that is made anew takes all files again. @throws DomainError not-found; conflict FEED_IN_USE */
export async function deleteFeed(trx: Knex.Transaction, siteId: number, id: string): Promise<FoundFeed> {
  await lockFeed(trx, siteId, id);
  const feed = await findFeed(trx, siteId, id);
  const after = await trx('feed').where({ site_id: siteId, after_feed_id: id }).orderBy('name_key').first('name');
  if (after !== undefined) {
    const message = `the destination ${quoted(after.name)} runs after the imports of ${quoted(feed.name)}: change its "after" first, or delete it`;
    throw new DomainError('conflict', 'FEED_IN_USE', message);
  }
  await trx('feed_item').where({ feed_id: id }).delete();
  await trx('feed').where({ id }).delete();
  return feed;
}

/** @throws DomainError not-found */
export async function lockFeed(trx: Knex.Transaction, siteId: number, id: string): Promise<FeedRow> {
  const found: FeedRow | undefined = isId(id)
    ? await trx('feed').where({ id, site_id: siteId }).forUpdate().first()
    : undefined;
  if (found === undefined) throw noSuchFeed(id);
  return found;
}

function definedOf(change: FeedChange): Partial<FeedSettings> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** Who saves a feed has the rights that it lacked. Whether another system takes its files, after a backup was restored, is not known by that. */
function stillPaused({ pause_reason: reason }: FeedRow): string | null {
  return reason === null || reason === PAUSED_ON_REQUEST || reason === RESTORED ? reason : SAVED_SINCE;
}

/** @throws DomainError forbidden */
function requireRight({ scopes }: FeedSaver, settings: FeedSettings): void {
  const missing = missingRight(scopes, settings);
  if (missing !== null) throw new DomainError('forbidden', 'FORBIDDEN', missing);
}

function noSuchFeed(id: string): DomainError {
  return new DomainError('not-found', 'FEED_NOT_FOUND', `there is no feed ${id.slice(0, 60)} in this stage`);
}

function feedExists(name: string): DomainError {
  const message = `this stage has a feed ${quoted(name)} already: change it, or choose another name`;
  return new DomainError('conflict', 'FEED_EXISTS', message);
}
