/** Tables in the states that statements have to bear: new, full of dead rows, large; and what Postgres believes of them. */

import pg from 'pg';
import { connectDb, type Db } from '../../../../db/connection.js';
import { newId } from '../../../../src/domain/kernel/identifier.js';
import { createTestDatabase } from '../test-database.js';
import { DEAD_ROWS, layDeadOrder, layDeadRows } from './dead-rows.js';
import type { Laid } from './laid-ids.js';
import { FEW, layRows, MANY } from './laid-rows.js';

/** A database that goes through one state after another. */
export interface TableStates {
  readonly amounts: Omit<Laid, 'prefix'>;
  readonly states: readonly TableState[];
}

interface TableState {
  /** What the tables are. */
  readonly name: string;
  readonly reach: (db: Db, laid: Laid) => Promise<unknown>;
}

export const DEAD = 'full of dead rows';

export const STATES: readonly TableStates[] = [
  { amounts: FEW, states: [{ name: 'new', reach: layRows }] },
  { amounts: FEW, states: [{ name: DEAD, reach: layAmongDead }] },
  {
    amounts: MANY,
    states: [
      { name: 'large and never analyzed', reach: layRows },
      { name: 'large and analyzed', reach: (db) => db.raw('ANALYZE') },
    ],
  },
  { amounts: MANY, states: [{ name: 'large, and were analyzed when they held a few rows', reach: layMisjudged }] },
];

async function layAmongDead(db: Db, laid: Laid): Promise<void> {
  await layDeadRows(db, laid, 0, DEAD_ROWS / 2);
  await layDeadOrder(db, laid, DEAD_ROWS);
  await layRows(db, laid);
  await layDeadRows(db, laid, DEAD_ROWS / 2, DEAD_ROWS / 2);
}

/** What is believed of the tables is then of other rows. */
export async function layMisjudged(db: Db, laid: Laid): Promise<void> {
  await layRows(db, { ...laid, ...FEW });
  await db.raw('ANALYZE');
  await db.raw(EMPTY);
  await layRows(db, laid);
}

const EMPTY = `
  DELETE FROM job_chunk; DELETE FROM job; DELETE FROM job_order; DELETE FROM job_order_floor; DELETE FROM file; DELETE FROM delivery_attempt; DELETE FROM delivery;
  DELETE FROM event; DELETE FROM item; DELETE FROM bundle_item; DELETE FROM item_unique_value;
  DELETE FROM session; DELETE FROM access_token; DELETE FROM account; ALTER SEQUENCE site_id_seq RESTART`;

export interface Tables {
  readonly db: Db;
  readonly laid: Laid;
  drop(): Promise<void>;
}

/** Tables without rows, which nobody vacuums or analyzes but to reach a state. To be dropped. */
export async function newTables({ amounts }: TableStates): Promise<Tables> {
  const database = await createTestDatabase();
  const db = connectDb({ url: database.url, poolMax: 1, name: 'plans' });
  const laid = { ...amounts, prefix: newId().slice(0, 16) };
  // As an export holds one for as long as it runs: what was deleted since cannot be cleared away.
  const snapshot = new pg.Client({ connectionString: database.url });
  // Its database is dropped with force.
  snapshot.on('error', () => undefined);
  await snapshot.connect();
  await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await snapshot.query('SELECT FROM site');
  await db.raw(NO_AUTOVACUUM);
  return {
    db,
    laid,
    drop: async () => {
      await snapshot.end();
      await db.destroy();
      await database.drop();
    },
  };
}

const NO_AUTOVACUUM = `
  DO $$ DECLARE one regclass; BEGIN
    FOR one IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
      EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false, toast.autovacuum_enabled = false)', one);
    END LOOP;
  END $$`;
