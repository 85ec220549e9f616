/** One answer per Idempotency-Key: the key's row is the first thing a piece of work writes, in the work's own transaction. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { IdempotencyKey } from '../../../db/models/idempotency-key.js';
import { createKeyedQueue, type KeyedQueue } from '../../platform/concurrency/keyed-queue.js';
import { DomainError } from '../kernel/errors.js';

/** A request that carries an Idempotency-Key. */
export interface IdempotentRequest {
  readonly accountId: string;
  readonly key: string;
  /** SHA-256 over method, path, query, site context and body. */
  readonly fingerprint: Buffer;
}

/** What the first request with a key was told. */
interface StoredAnswer {
  readonly status: number;
  /** Survives JSON. */
  readonly body: unknown;
  readonly jobId: string | null;
}

type Acceptance =
  | { readonly replay: StoredAnswer }
  | { readonly replay: null; readonly store: (answer: StoredAnswer) => Promise<void> };

/** The key's row until its answer is known; never seen by others, for it is not committed before. */
const NO_ANSWER_YET = { status: 0, body: storedBody(null) };

/**
 * Call first in the transaction that carries the work out. A twin in flight is waited for: the insert blocks until the
 * twin's transaction ends, and finds its answer if it committed. What is thrown later rolls the key back with the work.
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
    // Pruned between the two statements: the key is free again.
    if (row === undefined) continue;
    if (!fingerprint.equals(row.fingerprint)) {
      throw new DomainError(
        'unprocessable',
        'IDEMPOTENCY_KEY_REUSED',
        'this Idempotency-Key was used for another request; send a new key',
      );
    }
    return { replay: { status: row.status, body: JSON.parse(row.body), jobId: row.job_id } };
  }
}

async function storeAnswer(trx: Knex.Transaction, request: IdempotentRequest, answer: StoredAnswer): Promise<void> {
  await trx('idempotency_key')
    .where({ account_id: request.accountId, key: request.key })
    .update({ status: answer.status, body: storedBody(answer.body), job_id: answer.jobId });
}

/** As a JSON text in a JSON string: jsonb would put the keys in another order, and the answer is to be the same to the byte. */
function storedBody(body: unknown): string {
  return JSON.stringify(JSON.stringify(body ?? null));
}

/** Twins in one process stand in line here, so that fifty of them hold one connection and not the whole pool. */
const linesOfPools = new WeakMap<Db, KeyedQueue>();

/**
 * Carries work out once per key, in a transaction of `db`; without a key (null) just in a transaction.
 * @param work is given the transaction and says what to answer; what it throws is rolled back and not remembered
 * @returns the answer, and whether it is an earlier request's
 */
export async function runOnce(
  db: Db,
  request: IdempotentRequest | null,
  work: (trx: Knex.Transaction) => Promise<StoredAnswer>,
): Promise<{ answer: StoredAnswer; replayed: boolean }> {
  if (request === null) return { answer: await db.transaction(work), replayed: false };
  const line = linesOfPools.get(db) ?? createKeyedQueue();
  linesOfPools.set(db, line);
  return line.run(`${request.accountId} ${request.key}`, () =>
    db.transaction(async (trx) => {
      const acceptance = await acceptOnce(trx, request);
      if (acceptance.replay !== null) return { answer: acceptance.replay, replayed: true };
      const answer = await work(trx);
      await acceptance.store(answer);
      return { answer, replayed: false };
    }),
  );
}

/** How long a key is remembered. */
const KEEP_KEYS_MS = 48 * 3_600_000;

/** Deletes the keys that have been remembered for long enough, and returns how many. Safe to run twice at once. */
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
