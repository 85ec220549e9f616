/** The sentence about workers that wait for a lock of Postgres. */

import { counted } from '../../domain/kernel/counted.js';
import type { LockWait } from '../read/locks.js';
import { type Html, html } from './html.js';
import { duration } from './layout.js';

/** Waits of workers for each other's locks are shorter. */
const STUCK_MS = 2_000;

/** For how long workers have been waiting for a lock; null: not for long. */
export function stuckFor(wait: LockWait | null, now: Date): number | null {
  const ms = wait === null ? 0 : now.getTime() - wait.since.getTime();
  return ms < STUCK_MS ? null : ms;
}

/** That a worker waits for a lock, and what to do; null: none does for long. */
export function stuckOn(wait: LockWait | null, now: Date): Html | null {
  const ms = stuckFor(wait, now);
  if (wait === null || ms === null) return null;
  const { sessions, table, holder, holderName } = wait;
  const what = table === null ? 'rows that another transaction has changed' : html`the table <strong>${table}</strong>`;
  const whose =
    holder === null
      ? 'a prepared transaction'
      : html`session ${holder}${holderName !== null && html` (${holderName})`}`;
  const cure =
    holder === null
      ? 'see pg_prepared_xacts'
      : html`wait for it to end, or end it: <code>SELECT pg_terminate_backend(${holder})</code>`;
  return html`${counted(sessions, 'connection')} of workers ${sessions === 1 ? 'waits' : 'wait'} for a lock of Postgres, the longest for ${duration(ms)}, on ${what}, which ${whose} holds. <em>What to do: ${cure}.</em>`;
}
