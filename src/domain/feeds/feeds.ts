/** Finds, saves, changes and deletes feeds. */
import type { Knex } from 'knex';
import pg from 'pg';
import type { Db } from '../../../db/connection.js';
import type { Secrets } from '../../platform/remote/remote-folder.js';
import type { SiteContext } from '../access/site-context.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { DomainError } from '../kernel/errors.js';
import { isId, newId } from '../kernel/identifier.js';
import type { Page, PageRequest } from '../kernel/paging.js';
import { quoted } from '../kernel/value-problem.js';
import { openSecrets, recipientOf, sealSecrets } from './feed-secrets.js';
import type { FeedRow } from './model/feed.js';
import type { FeedSettings } from './model/feed-settings.js';
import { nextRun } from './model/schedule.js';
import { missingRight } from './owner.js';

/** Of a stage: a list of them can still be read. */
const MAX_FEEDS = 200;
const UNIQUE_VIOLATION = '23505';
const PAUSED_ON_REQUEST = 'paused on request';

/** Who saves a feed: it may do at most what they may. */
export interface FeedSaver {
  readonly tokenId: string;
  /** The client to which the token was granted; null: to none. */
  readonly clientId: string | null;
  readonly scopes: readonly string[];
}

/** A feed as lists show it; `now` by the clock of the database. */
export type FoundFeed = FeedRow & { readonly saver_name: string | null; readonly now: Date };

/** What changes: absent members stay as they are. */
export type FeedChange = { readonly [Member in keyof FeedSettings]?: FeedSettings[Member] | undefined };

/** The secrets that came with a request; undefined: those that are stored. */
export type GivenSecrets = Secrets | undefined;

const SAVER = `coalesce((SELECT name FROM oauth_client WHERE oauth_client.id = saved_by_client),
  (SELECT name FROM access_token WHERE access_token.id = saved_by)) AS saver_name, now() AS now`;

/** By name. */
export async function listFeeds(db: Db, siteId: number, { offset, limit }: PageRequest): Promise<Page<FoundFeed>> {
  const [counted, rows] = await Promise.all([
    db('feed').where({ site_id: siteId }).count<{ count: string }[]>('* as count'),
    db('feed')
      .where({ site_id: siteId })
      .orderBy(['name_key', 'id'])
      .offset(offset)
      .limit(limit)
      .select('*', db.raw(SAVER)),
  ]);
  return { rows: rows as FoundFeed[], count: Number(counted[0]?.count ?? 0) };
}

/** @throws DomainError not-found */
export async function findFeed(db: Db, siteId: number, id: string): Promise<FoundFeed> {
  const found = isId(id)
    ? ((await db('feed').where({ id, site_id: siteId }).first('*', db.raw(SAVER))) as FoundFeed | undefined)
    : undefined;
  if (found === undefined) throw noSuchFeed(id);
  return found;
}

/** @throws DomainError conflict FEED_EXISTS, FEED_LIMIT; forbidden when who saves it may not import */
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
  const now = await nowOf(trx);
  const times = { next_run_at: dueAfter(settings, now), expects_since: now, created_at: now, updated_at: now };
  const inserted = await trx('feed')
    .insert({
      ...{ id, site_id: siteId, account_id: accountId, channel, version: 1, ...times },
      ...columnsOf(settings, saver),
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
 *   forbidden when who saves it may not import
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
  const settings = { ...settingsOf(before), ...definedOf(change) };
  requireRight(saver, settings);
  const secrets = secretsFor(before, settings.connection, given, secretsKeys);
  const now = await nowOf(trx);
  const resumes = before.state === 'PAUSED' && settings.state === 'ACTIVE';
  const pauses = before.state === 'ACTIVE' && settings.state === 'PAUSED';
  const isPlanned = resumes || pauses || JSON.stringify(settings.schedule) !== JSON.stringify(before.schedule);
  const expects = resumes || settings.expectWithinMinutes !== before.expect_within_minutes;
  try {
    await trx('feed')
      .where({ id })
      .update({
        ...columnsOf(settings, saver),
        secrets: sealSecrets(secretsKeys, id, secrets),
        version: before.version + 1,
        ...(isPlanned ? { next_run_at: dueAfter(settings, now), failures: 0 } : {}),
        ...(expects ? { expects_since: now } : {}),
        ...(resumes ? { pause_reason: null } : pauses ? { pause_reason: PAUSED_ON_REQUEST, asked_for: null } : {}),
        // What could not be taken before may be now.
        looked: null,
        updated_at: now,
      });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) throw feedExists(settings.name);
    throw error;
  }
  return findFeed(trx, siteId, id);
}

/** What it has taken is forgotten: a feed that is made anew takes all files again. @throws DomainError not-found */
export async function deleteFeed(trx: Knex.Transaction, siteId: number, id: string): Promise<FoundFeed> {
  await lockFeed(trx, siteId, id);
  const feed = await findFeed(trx, siteId, id);
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

/** What was said of a stored feed. */
export function settingsOf(feed: FeedRow): FeedSettings {
  const { name, direction, connection, locale, options, pick, afterwards, schedule, state } = feed;
  const other = { fileType: feed.file_type, expectWithinMinutes: feed.expect_within_minutes };
  return { name, direction, connection, locale, options, pick, afterwards, schedule, state, ...other };
}

/**
 * The secrets with which a connection is used: those that were given, or those that are stored for the same recipient.
 * @throws DomainError invalid
 */
export function secretsFor(
  stored: FeedRow,
  connection: FeedSettings['connection'],
  given: GivenSecrets,
  secretsKeys: readonly string[],
): Secrets {
  if (given !== undefined) return given;
  if (stored.secrets !== null && recipientOf(connection) !== recipientOf(stored.connection)) {
    const message = 'send the secret again, or null for none: the stored one belongs to another server or user';
    throw new DomainError('invalid', 'REQUEST_INVALID', `the body is not as expected: secret: ${message}`, {
      problems: [{ path: 'secret', code: 'FIELD_INVALID', message }],
    });
  }
  return openSecrets(secretsKeys, stored);
}

function columnsOf(settings: FeedSettings, { tokenId, clientId, scopes }: FeedSaver) {
  const { name, direction, connection, fileType, locale, options, pick, afterwards, schedule, state } = settings;
  return {
    ...{ name, name_key: attributeKey(name), direction, locale, state, file_type: fileType },
    connection: JSON.stringify(connection),
    options: JSON.stringify(options),
    pick: JSON.stringify(pick),
    afterwards: JSON.stringify(afterwards),
    schedule: schedule === null ? null : JSON.stringify(schedule),
    expect_within_minutes: settings.expectWithinMinutes,
    ...{ saved_by: tokenId, saved_by_client: clientId, scopes: [...scopes] },
  };
}

function definedOf(change: FeedChange): Partial<FeedSettings> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

function dueAfter({ schedule, state }: Pick<FeedSettings, 'schedule' | 'state'>, now: Date): Date | null {
  return schedule === null || state === 'PAUSED' ? null : nextRun(schedule, now);
}

/** The clock of the database: those of the processes may differ. */
async function nowOf(trx: Knex.Transaction): Promise<Date> {
  const { rows } = await trx.raw<{ rows: { now: Date }[] }>('SELECT now() AS now');
  return rows[0]?.now ?? new Date();
}

/** @throws DomainError forbidden */
function requireRight({ scopes }: FeedSaver, { options }: Pick<FeedSettings, 'options'>): void {
  const missing = missingRight(scopes, options);
  if (missing !== null) throw new DomainError('forbidden', 'FORBIDDEN', missing);
}

function noSuchFeed(id: string): DomainError {
  return new DomainError('not-found', 'FEED_NOT_FOUND', `there is no feed ${id.slice(0, 60)} in this stage`);
}

function feedExists(name: string): DomainError {
  const message = `this stage has a feed ${quoted(name)} already: change it, or choose another name`;
  return new DomainError('conflict', 'FEED_EXISTS', message);
}
