/** The address of a feed that has it run when it is called: a caller who has the address needs no token. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { findByDigest } from '../access/find-by-digest.js';
import type { SealedColumn } from '../access/reseal-secrets.js';
import { sealSecret, unlessLost, unsealSecret } from '../access/sealed-secret.js';
import { digestSecret, newSecret } from '../access/secret-digests.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { lockFeed } from './feeds.js';
import type { FeedRow } from './model/feed.js';
import { isBreakerOpen } from './model/feed-failure.js';
import { isRunning, startRun } from './start-run.js';

/** Between the beginnings of two runs that are asked for: those who have the address may call it as often as they like. */
const APART = "interval '10 seconds'";

export interface FeedTrigger {
  readonly feedId: string;
  /** What its address ends with; null: no key of the system opens it any more, and the address cannot be shown. */
  readonly key: string | null;
  readonly createdAt: Date;
}

interface OwnerOfTrigger {
  readonly asked: Buffer;
  readonly accountId: string;
  readonly quotas: unknown;
}

const OWNERS = `
  SELECT key_digest AS asked, account.id AS "accountId", account.quotas
  FROM feed_trigger JOIN feed ON feed.id = feed_id JOIN account ON account.id = feed.account_id
  WHERE key_digest = ANY (?::bytea[])`;

/** The account and the quotas of the feed that an address runs; undefined: there is no such address. */
export function accountOfTrigger(db: Db, key: string): Promise<OwnerOfTrigger | undefined> {
  return findByDigest<OwnerOfTrigger>(db, OWNERS, digestSecret(key));
}

/**
 * Has the feed of an address run: at once, or as soon as the run has ended that goes on. One that is paused does not run.
 * @returns what to enqueue after the commit; undefined: there is no such address
 */
export async function runByTrigger(
  trx: Knex.Transaction,
  key: string,
): Promise<{ readonly siteId: number; readonly outboxEntries: readonly OutboxEntry[] } | undefined> {
  const { rows } = await trx.raw<{ rows: (FeedRow & { readonly isSoon: boolean })[] }>(
    `SELECT feed.*, coalesce(last_run_at > now() - ${APART}, false) AS "isSoon"
     FROM feed_trigger JOIN feed ON feed.id = feed_id WHERE key_digest = ? FOR UPDATE OF feed`,
    [digestSecret(key)],
  );
  const [feed] = rows;
  if (feed === undefined) return undefined;
  const { id, site_id: siteId } = feed;
  // While the breaker is open, its next try finds what has come.
  const waits = feed.state === 'PAUSED' || (isBreakerOpen(feed) && feed.next_run_at !== null);
  if (waits) return { siteId, outboxEntries: [] };
  if (feed.isSoon || (await isRunning(trx, feed))) {
    await trx('feed')
      .where({ id })
      .update({ asked_for: trx.raw(`coalesce(asked_for, greatest(now(), last_run_at + ${APART}))`) });
    return { siteId, outboxEntries: [] };
  }
  const run = { id: newId(), cause: 'TRIGGER', lateByMinutes: 0, requestId: null } as const;
  return { siteId, outboxEntries: await startRun(trx, feed, run) };
}

/** @throws DomainError not-found */
export async function findTrigger(
  db: Db,
  siteId: number,
  feedId: string,
  secretsKeys: readonly string[],
): Promise<FeedTrigger> {
  const found: { id: string; sealed_key: string; created_at: Date } | undefined = await db('feed_trigger')
    .join('feed', 'feed.id', 'feed_trigger.feed_id')
    .where({ 'feed.id': feedId, site_id: siteId })
    .first('feed_trigger.id', 'sealed_key', 'feed_trigger.created_at');
  if (found === undefined) {
    const message = `the feed ${feedId.slice(0, 60)} has no address that triggers it: make one by POST /feeds/{id}/actions/renew-trigger`;
    throw new DomainError('not-found', 'TRIGGER_NOT_FOUND', message);
  }
  const key = unlessLost(() => unsealSecret(secretsKeys, placeOf(found.id), found.sealed_key)) ?? null;
  return { feedId, key, createdAt: found.created_at };
}

/** Gives a feed such an address, or another one: that which it had answers no more. @throws DomainError not-found */
export async function renewTrigger(
  trx: Knex.Transaction,
  siteId: number,
  feedId: string,
  secretsKeys: readonly string[],
): Promise<FeedTrigger> {
  await lockFeed(trx, siteId, feedId);
  await trx('feed_trigger').where({ feed_id: feedId }).delete();
  const [id, key] = [newId(), newSecret('lsg')];
  const sealed = sealSecret(secretsKeys, placeOf(id), key);
  await trx('feed_trigger').insert({ id, feed_id: feedId, key_digest: digestSecret(key), sealed_key: sealed });
  return findTrigger(trx, siteId, feedId, secretsKeys);
}

/** Its address answers no more. @throws DomainError not-found */
export async function deleteTrigger(
  trx: Knex.Transaction,
  siteId: number,
  feedId: string,
  secretsKeys: readonly string[],
): Promise<FeedTrigger> {
  await lockFeed(trx, siteId, feedId);
  const found = await findTrigger(trx, siteId, feedId, secretsKeys);
  await trx('feed_trigger').where({ feed_id: feedId }).delete();
  return found;
}

export const KEYS_OF_TRIGGERS: readonly SealedColumn[] = [
  { table: 'feed_trigger', column: 'sealed_key', place: 'key' },
];

/** For what the key is sealed. */
function placeOf(id: string): string {
  return `feed_trigger ${id} key`;
}
