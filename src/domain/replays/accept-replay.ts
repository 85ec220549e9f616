/** Accepts the replay of a range as a job. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import { acceptJob } from '../jobs/accept-job.js';
import { DomainError } from '../kernel/errors.js';
import { findDefinition } from '../webhooks/definitions.js';
import { countInRange } from '../webhooks/replay-range.js';
import { REPLAY_JOB, type ReplayRange } from './replay-job.js';

interface NewReplay {
  readonly id: string;
  readonly site: SiteContext;
  readonly requestId: string;
  readonly range: ReplayRange;
}

/** Counts the deliveries that a replay would make. @throws DomainError not-found, conflict (the definition is disabled) */
export async function countReplay(db: Db, site: SiteContext, range: ReplayRange): Promise<number> {
  await requireActive(db, site.siteId, range.webhookId);
  return countInRange(db, { ...range, endedBy: null });
}

/**
 * @returns what to enqueue once `trx` has committed
 * @throws DomainError not-found, conflict (the definition is disabled)
 */
export async function acceptReplay(
  trx: Knex.Transaction,
  { id, site, requestId, range }: NewReplay,
): Promise<OutboxEntry[]> {
  const { siteId, accountId, channel, traceparent, actor } = site;
  await requireActive(trx, siteId, range.webhookId);
  const identity = { id, siteId, accountId, channel, requestId, traceparent, actor };
  const job = { ...identity, jobType: REPLAY_JOB, type: 'WEBHOOK_REPLAY', options: range } as const;
  return acceptJob(trx, job);
}

async function requireActive(db: Db, siteId: number, webhookId: string): Promise<void> {
  const definition = await findDefinition(db, siteId, webhookId);
  if (definition.status === 'ACTIVE') return;
  throw new DomainError('conflict', 'WEBHOOK_DISABLED', 'the webhook definition is disabled; enable it first');
}
