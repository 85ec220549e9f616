/** Faults that the database itself commits when an item is written whose SKU asks for them. */
import pg from 'pg';
import type { Db } from '../../../db/connection.js';
import { until } from '../until.js';
import { OWN_LOCKS } from '../worlds/own-sessions.js';

/** Any item whose SKU begins so. */
export const FAULT = {
  /** Waits while the test holds the gate shut. */
  wait: 'wait-',
  /** Fails, however often it is tried. */
  fail: 'fail-',
  /** Is a value that the database refuses. */
  refuse: 'refuse-',
  /** Is the victim of a deadlock, as often as `deadlocks` says. */
  deadlock: 'deadlock-',
} as const;

const GATE = 4_711;

/** Teaches a database the faults. */
export async function installFaults(db: Db, { deadlocks = 0 }: { readonly deadlocks?: number } = {}): Promise<void> {
  await db.raw(`
    CREATE SEQUENCE fault_deadlock_seq;
    CREATE FUNCTION commit_fault() RETURNS trigger LANGUAGE plpgsql AS $fault$
    BEGIN
      IF NEW.sku LIKE 'wait-%' THEN
        PERFORM pg_advisory_xact_lock_shared(${GATE});
      ELSIF NEW.sku LIKE 'fail-%' THEN
        RAISE EXCEPTION 'the item is on fire' USING ERRCODE = 'XX000';
      ELSIF NEW.sku LIKE 'refuse-%' THEN
        RAISE EXCEPTION 'no such number' USING ERRCODE = '22003';
      ELSIF NEW.sku LIKE 'deadlock-%' AND nextval('fault_deadlock_seq') <= ${deadlocks} THEN
        RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
      END IF;
      RETURN NEW;
    END $fault$;
    CREATE TRIGGER commit_fault BEFORE INSERT OR UPDATE ON item FOR EACH ROW EXECUTE FUNCTION commit_fault();
  `);
}

export interface Gate {
  /** Resolves when so many transactions stand before the gate. */
  reached(count?: number): Promise<void>;
  open(): Promise<void>;
}

/** Shuts the gate at which items called `wait-…` wait. A database has one gate; to be opened in the same test. */
export async function shutGate(databaseUrl: string): Promise<Gate> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'longshore-gate' });
  await client.connect();
  await client.query('SELECT pg_advisory_lock($1)', [GATE]);
  let open: Promise<void> | undefined;
  const waiting = async () => {
    const { rows } = await client.query(
      `SELECT count(*)::integer AS waiting FROM ${OWN_LOCKS}
       WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`,
      [GATE],
    );
    return rows[0].waiting as number;
  };
  return {
    reached: (count = 1) => until(`${count} wait at the gate`, async () => (await waiting()) >= count, 25_000),
    open: () => {
      open ??= client.end();
      return open;
    },
  };
}
