/** Sends requests to the bare Koa, a process of its own. */
import type pg from 'pg';
import { Pool } from 'undici';
import { type Sent, sendAll } from '../measure/send-all.js';
import { startChild } from './child-program.js';

const BARE_KOA = new URL('./bare-koa.js', import.meta.url);

export interface BareRequests {
  /** Sends bodies as fast as they are accepted, into an empty table. @throws when one is not accepted */
  send(bodies: readonly string[]): Promise<Sent>;
  stop(): Promise<void>;
}

/** @param connections kept open, each with a request under way */
export async function startBareRequests(
  db: pg.Client,
  databaseUrl: string,
  connections: number,
): Promise<BareRequests> {
  await db.query(
    'CREATE TABLE IF NOT EXISTS bare_request (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body jsonb NOT NULL)',
  );
  const koa = startChild<{ port: number }>(BARE_KOA, [databaseUrl]);
  const { port } = await koa.message(() => true);
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  return {
    send: async (bodies) => {
      await db.query('TRUNCATE bare_request');
      await db.query('CHECKPOINT');
      const sent = await sendAll(bodies, connections, (body) => post(pool, body));
      const { rows } = await db.query<{ count: number }>('SELECT count(*)::integer AS count FROM bare_request');
      if (rows[0]?.count !== bodies.length) throw new Error('the bare Koa has lost requests: the figures mean nothing');
      return sent;
    },
    stop: async () => {
      await koa.stop();
      await pool.destroy();
    },
  };
}

async function post(pool: Pool, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await pool.request({ method: 'POST', path: '/', headers, body });
  await response.body.dump();
  if (response.statusCode !== 202) throw new Error(`the bare Koa answered ${response.statusCode}`);
}
