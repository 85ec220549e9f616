/** Gives one answer per Idempotency-Key. The work writes the row of the key first, in its own transaction. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { IdempotencyKey } from '../../../db/models/idempotency-key.js';
import { createBatcher } from '../../platform/concurrency/batcher.js';
import { createKeyedQueue, type KeyedQueue } from '../../platform/concurrency/keyed-queue.js';
import { DomainError } from '../kernel/errors.js';

/** A request that carries an Idempotency-Key. */
export interface IdempotentRequest {
  readonly accountId: string;
  readonly key: string;
  /** SHA-256 of method, path, query, site context and body. */
  readonly fingerprint: Buffer;
  /** The answer to an earlier request with the key, if it was looked up; null: there was none yet. */
  readonly answered?: StoredAnswer | null;
}

/** The answer to the first request with a key. */
export interface StoredAnswer {
  readonly status: number;
  /** A value that JSON can represent. */
  readonly body: unknown;
  readonly jobId: string | null;
}

type Acceptance =
  | { readonly replay: StoredAnswer }
  | { readonly replay: null; readonly store: (answer: StoredAnswer) => Promise<void> };

/** The columns of a key until its answer is known. Other transactions never see them. */
const NO_ANSWER_YET = { status: 0, body: storedBody(null) };

/**
 * Must be called first in the transaction of the work. If a request with the same key is in progress, the insert blocks
 * until that transaction ends; if it committed, its answer is found. An error that is thrown later rolls back the key
 * together with the work.
 * @throws DomainError unprocessable when the key was used for another request
 */
async function acceptOnce(trx: Knex.Transaction, request: IdempotentRequest): Promise<Acceptance> {
  const { accountId, key, fingerprint } = request;
  for (;;) {
    const inserted = await trx('idempotency_key')
      .insert({ account_id: accountId, key, fingerprint, ...NO_ANSWER_YET })
      .onConflict(['account_id', 'key'])
      .ignore()
      .returning('key');
    if (inserted.length > 0) return { replay: null, store: (answer) => storeAnswer(trx, request, answer) };
    const row = await IdempotencyKey.query(trx).findById([accountId, key]);
    // The row was pruned between the two statements, so the key is free again.
    if (row === undefined) continue;
    if (!fingerprint.equals(row.fingerprint)) {
      throw new DomainError(
        'unprocessable',
        'IDEMPOTENCY_KEY_REUSED',
        'this Idempotency-Key was used for another request; send a new key',
      );
    }
    return { replay: answerIn(row) };
  }
}

function answerIn({ status, body, job_id: jobId }: KeyColumns): StoredAnswer {
  return { status, body: JSON.parse(body), jobId };
}

type KeyColumns = Pick<IdempotencyKey, 'fingerprint' | 'status' | 'body' | 'job_id'>;

async function storeAnswer(trx: Knex.Transaction, request: IdempotentRequest, answer: StoredAnswer): Promise<void> {
  await trx('idempotency_key')
    .where({ account_id: request.accountId, key: request.key })
    .update({ status: answer.status, body: storedBody(answer.body), job_id: answer.jobId });
}

/**
 * Stores the JSON text as a JSON string. A jsonb object would change the order of its keys, and the repeated answer has
 * to be the same byte for byte.
 */
function storedBody(body: unknown): string {
  return JSON.stringify(JSON.stringify(body ?? null));
}

/** Requests of this process with the same key wait here, so that many of them use one connection of the pool. */
const queuesOfPools = new WeakMap<Db, KeyedQueue>();

const MAX_LOOKED_UP = 200;

/** One lookup of each pool is under way at a time, for all requests that wait. */
const lookupsOfPools = new WeakMap<Db, (request: IdempotentRequest) => Promise<KeyColumns | null>>();

/**
 * Looks up the answer to an earlier request with the key. However many clients repeat their requests, this takes one
 * connection of the pool.
 * @returns null when there is none yet, or the key was used for another request: runOnce decides
 */
export async function findAnswer(db: Db, request: IdempotentRequest): Promise<StoredAnswer | null> {
  let lookUp = lookupsOfPools.get(db);
  if (lookUp === undefined) {
    lookUp = createBatcher({ lingerMs: 0, maxItems: MAX_LOOKED_UP, run: (asked) => rowsOf(db, asked) });
    lookupsOfPools.set(db, lookUp);
  }
  const row = await lookUp(request);
  return row?.fingerprint.equals(request.fingerprint) === true ? answerIn(row) : null;
}

async function rowsOf(db: Db, asked: readonly IdempotentRequest[]): Promise<(KeyColumns | null)[]> {
  const { rows } = await db.raw<{ rows: (KeyColumns & { nth: number })[] }>(LOOK_UP, [
    asked.map(({ accountId }) => accountId),
    asked.map(({ key }) => key),
  ]);
  const found = new Map(rows.map((row) => [row.nth, row]));
  return asked.map((_, index) => found.get(index + 1) ?? null);
}

const LOOK_UP = `
  SELECT asked.nth::integer AS nth, known.fingerprint, known.status, known.body, known.job_id
  FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS asked (account_id, key, nth)
  CROSS JOIN LATERAL (
    SELECT fingerprint, status, body, job_id FROM idempotency_key
    WHERE account_id = asked.account_id COLLATE "C" AND key = asked.key COLLATE "C" LIMIT 1) AS known`;

/**
 * Runs work once per key, in a transaction of `db`. Without a key (null), it only runs in a transaction.
 * @param work gets the transaction and returns the answer; if it throws, its writes and the key are rolled back
 * @returns the answer, and whether it is the answer to an earlier request
 */
export async function runOnce(
  db: Db,
  request: IdempotentRequest | null,
  work: (trx: Knex.Transaction) => Promise<StoredAnswer>,
): Promise<{ answer: StoredAnswer; replayed: boolean }> {
  if (request === null) return { answer: await db.transaction(work), replayed: false };
  if (request.answered != null) return { answer: request.answered, replayed: true };
  const queue = queuesOfPools.get(db) ?? createKeyedQueue();
  queuesOfPools.set(db, queue);
  return queue(`${request.accountId} ${request.key}`, () =>
    db.transaction(async (trx) => {
      const acceptance = await acceptOnce(trx, request);
      if (acceptance.replay !== null) return { answer: acceptance.replay, replayed: true };
      const answer = await work(trx);
      await acceptance.store(answer);
      return { answer, replayed: false };
    }),
  );
}

/** How long a key is kept. */
const KEEP_KEYS_MS = 48 * 3_600_000;

/**
 * Deletes the keys that are older than KEEP_KEYS_MS, and returns how many. Two processes may run it at the same time.
 */
export function pruneIdempotencyKeys(db: Db, now: Date): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM idempotency_key WHERE (account_id, key) IN (
         SELECT account_id, key FROM idempotency_key WHERE created_at < ? LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [new Date(now.getTime() - KEEP_KEYS_MS), limit],
    );
    return rowCount;
  });
}
