/** The metrics of a process's pool of connections to Postgres. */
import type { Histogram } from 'prom-client';
import { type Instruments, secondsSince } from './instruments.js';

/** A pool of connections to Postgres, as tarn has them. */
export interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
  on(event: 'acquireRequest' | 'acquireSuccess' | 'acquireFail', listener: (request: number) => void): unknown;
}

/**
 * Measures a pool.
 * @param waits how long statements have waited for a connection
 * @param limit the most connections that it opens
 */
export function watchPool(instruments: Instruments, waits: Histogram, pool: Pool, limit: number): void {
  const connections = instruments.gauge(
    'longshore_pool_connections',
    'Connections to Postgres by state (used, idle, limit), and statements that wait for one (waiting)',
    ['state'],
    () => {
      connections.set({ state: 'used' }, pool.numUsed());
      connections.set({ state: 'idle' }, pool.numFree());
      connections.set({ state: 'waiting' }, pool.numPendingAcquires());
      connections.set({ state: 'limit' }, limit);
    },
  );
  const since = new Map<number, number>();
  const answered = (request: number) => {
    const began = since.get(request);
    since.delete(request);
    if (began !== undefined) waits.observe(secondsSince(began));
  };
  pool.on('acquireRequest', (request) => since.set(request, performance.now()));
  pool.on('acquireSuccess', answered);
  pool.on('acquireFail', answered);
}
