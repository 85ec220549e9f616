/** Makes the waiting deliveries of a definition due now. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { findDefinition } from './definitions.js';
import { admitNext, disabled } from './redispatch/admit-next.js';
import { RESUME_PAGE, resumePage } from './redispatch/resume-page.js';

const MAX_RESUME_PAGES = 20;

interface Resumed {
  /** What to enqueue, one entry per delivery. */
  readonly outboxEntries: OutboxEntry[];
  /** Whether deliveries are left that wait for a later time, because there were too many for one request. */
  readonly more: boolean;
}

/**
 * Makes the waiting deliveries of a definition due now, those that are due soonest first, whatever its circuit breaker
 * or a Retry-After says. If the breaker is open, the first delivery is a probe: if it fails, the breaker opens again.
 * @throws DomainError not-found, conflict (the definition is disabled)
 */
export async function resumeDeliveries(
  db: Db,
  siteId: number,
  webhookId: string,
  record: (trx: Knex.Transaction) => Promise<void> = async () => undefined,
): Promise<Resumed> {
  await withRetries(db, async (trx) => {
    const definition = await findDefinition(trx, siteId, webhookId);
    if (definition.status !== 'ACTIVE') throw disabled();
    await admitNext(trx, definition.id);
    await record(trx);
  });
  const outboxEntries: OutboxEntry[] = [];
  // Each page is a transaction of its own, so that no lock is held for long.
  for (let page = 0; page < MAX_RESUME_PAGES; page++) {
    const resumed = await resumePage(db, webhookId, 'delivery.next_attempt_at > now()');
    outboxEntries.push(...resumed);
    if (resumed.length < RESUME_PAGE) return { outboxEntries, more: false };
  }
  return { outboxEntries, more: true };
}
