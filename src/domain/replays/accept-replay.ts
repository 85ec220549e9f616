/** Commits the replay of a range that a client was told is accepted. It takes no place in its site's line. */
import type { Db } from '../../../db/connection.js';
import type { Dispatch } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import { DomainError } from '../kernel/errors.js';
import { findDefinition } from '../webhooks/definitions.js';

/** Deliveries of one definition, made from `since` until before `until`, that were given up or cancelled. */
export interface ReplayRange {
  readonly webhookId: string;
  /** ISO 8601. */
  readonly since: string;
  /** Null: until the job begins. */
  readonly until: string | null;
}

export interface NewReplay {
  readonly id: string;
  readonly site: SiteContext;
  readonly requestId: string;
  readonly range: ReplayRange;
}

const REPLAY_TYPE = 'WEBHOOK_REPLAY';

/** @returns what to enqueue once `trx` has committed @throws DomainError not-found, conflict (the definition is disabled) */
export async function acceptReplay(trx: Db, { id, site, requestId, range }: NewReplay): Promise<Dispatch[]> {
  const definition = await findDefinition(trx, site.siteId, range.webhookId);
  if (definition.status !== 'ACTIVE') {
    throw new DomainError('conflict', 'WEBHOOK_DISABLED', 'the webhook definition is disabled; enable it first');
  }
  await trx('job').insert({
    id,
    site_id: site.siteId,
    account_id: site.accountId,
    type: REPLAY_TYPE,
    kind: 'replay',
    status: 'SCHEDULED',
    options: JSON.stringify(range),
    channel: site.channel,
    request_id: requestId,
    shared: true,
    step: 'replay',
    dispatch: 1,
    dispatched_at: trx.fn.now(),
  });
  return [{ queue: 'replay', payload: { jobId: id, dispatch: 1 } }];
}
