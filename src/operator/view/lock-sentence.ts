/** The sentence about workers that wait for a lock of Postgres. */
import type { LockWait } from '../read/locks.js';
import { type Html, html } from './html.js';
import { counted, duration } from './layout.js';

/** Waits of workers for each other's locks are shorter. */
const STUCK_MS = 2_000;

/** That a worker waits for a lock, and what to do; null: none does for long. */
export function stuckOn(wait: LockWait | null, now: Date): Html | null {
  if (wait === null) return null;
  const ms = now.getTime() - wait.since.getTime();
  if (ms < STUCK_MS) return null;
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
