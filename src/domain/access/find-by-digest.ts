/** Finds what belongs to a secret that was sent, by its digest: however many are tried, it takes few connections of the pool. */
import type { Db } from '../../../db/connection.js';
import { createBatcher } from '../../platform/concurrency/batcher.js';

/**
 * Digests in one statement, and statements at a time: many secrets that do not exist must not take the connections from
 * those that do. One connection that is silent does not stop the others.
 */
const MAX_LOOKED_UP = 200;
const PARALLEL_LOOKUPS = 3;
const PATIENCE_MS = 1_000;

interface Found {
  readonly asked: Buffer;
}

type Find = (digest: Buffer) => Promise<Found | undefined>;

/** The lookups of each pool, by their statements. */
const lookupsOfPools = new WeakMap<Db, Map<string, Find>>();

/** @param statement SQL: the rows whose digest is among those of the one parameter, `?::bytea[]`; `asked` is the digest */
export async function findByDigest<Row extends Found>(
  db: Db,
  statement: string,
  digest: Buffer,
): Promise<Row | undefined> {
  const lookups = lookupsOfPools.get(db) ?? new Map<string, Find>();
  lookupsOfPools.set(db, lookups);
  const find = lookups.get(statement) ?? lookUpBy(db, statement);
  lookups.set(statement, find);
  // What a statement selects is known to those who have written it.
  return (await find(digest)) as Row | undefined;
}

function lookUpBy(db: Db, statement: string): Find {
  return createBatcher<Buffer, Found | undefined>({
    lingerMs: 0,
    maxItems: MAX_LOOKED_UP,
    parallel: PARALLEL_LOOKUPS,
    patienceMs: PATIENCE_MS,
    run: async (digests) => {
      const { rows } = await db.raw<{ rows: Found[] }>(statement, [[...digests]]);
      return digests.map((digest) => rows.find(({ asked }) => asked.equals(digest)));
    },
  });
}
