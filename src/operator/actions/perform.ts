/** What each action does to one job or endpoint. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import { refuseMissingInput } from '../../domain/files/require-input.js';
import { JOB_TYPES } from '../../domain/job-types.js';
import { cancelJob } from '../../domain/jobs/cancel-job.js';
import { followEnd } from '../../domain/jobs/follow-end.js';
import { releaseDue } from '../../domain/jobs/release-jobs.js';
import { retryJob } from '../../domain/jobs/retry-job.js';
import { newId } from '../../domain/kernel/identifier.js';
import { acceptReplay } from '../../domain/replays/accept-replay.js';
import { resumeDeliveries } from '../../domain/webhooks/resume-deliveries.js';
import type { FileStore } from '../../platform/file-store.js';
import type { Logger } from '../../platform/logger.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { Producer } from '../../queues/producer.js';
import type { RequestedAction } from './requested-action.js';
import type { Target } from './targets.js';

export interface ActionServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  readonly producer: Producer;
  readonly logger: Logger;
}

/** @param record is called in the transaction of the change, if there is one */
export function perform(
  { db, fileStore }: ActionServices,
  { action, filter }: RequestedAction,
  target: Target,
  record: (trx: Db) => Promise<void>,
): Promise<OutboxEntry[]> {
  if (action === 'cancel') return cancel(db, target, record);
  if (action === 'retry') return retry({ db, fileStore }, target, filter.rows ?? 'all', record);
  if (action === 'resume') return resume(db, target, record);
  return replay(db, target, filter.since, record);
}

async function cancel(db: Db, { id, siteId }: Target, record: (trx: Db) => Promise<void>): Promise<OutboxEntry[]> {
  const { outboxEntries, ended } = await cancelJob(db, JOB_TYPES, siteId, id, record);
  return ended ? followEnd(db, JOB_TYPES, id) : outboxEntries;
}

async function retry(
  { db, fileStore }: Pick<ActionServices, 'db' | 'fileStore'>,
  { id, siteId }: Target,
  rows: 'all' | 'failed',
  record: (trx: Db) => Promise<void>,
): Promise<OutboxEntry[]> {
  await refuseMissingInput(db, fileStore, siteId, id);
  const outboxEntries = await withRetries(db, async (trx) => {
    await record(trx);
    // The last statement: other requests of the site wait for its lock.
    const request = { id: newId(), requestId: null, traceparent: null, actor: null, rows, force: false };
    return (await retryJob(trx, JOB_TYPES, id, request)).outboxEntries;
  });
  // Behind many others it is accepted as held. All of them may have ended since then.
  return outboxEntries.length > 0 ? outboxEntries : releaseDue(db, [siteId]);
}

async function resume(db: Db, { id, siteId }: Target, record: (trx: Db) => Promise<void>): Promise<OutboxEntry[]> {
  return (await resumeDeliveries(db, siteId, id, record)).outboxEntries;
}

const DAY_MS = 86_400_000;

function replay(
  db: Db,
  { id, siteId, accountId, stage }: Target,
  since: string | undefined,
  record: (trx: Knex.Transaction) => Promise<void>,
): Promise<OutboxEntry[]> {
  const range = {
    webhookId: id,
    since: since ?? new Date(Date.now() - DAY_MS).toISOString(),
    until: null,
    outcomes: ['FAILED', 'CANCELLED'] as const,
  };
  return withRetries(db, async (trx) => {
    const site = { siteId, accountId, stage, channel: null, date: null };
    const replayed = { id: newId(), site, requestId: newId(), range: { ...range, outcomes: [...range.outcomes] } };
    const outboxEntries = await acceptReplay(trx, replayed);
    await record(trx);
    return outboxEntries;
  });
}
