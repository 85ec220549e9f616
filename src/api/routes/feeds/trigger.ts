/** The endpoint that has a feed run when whatever puts the files there calls it, without a token. */
import { z } from 'zod';
import { withRetries } from '../../../../db/with-retries.js';
import { quotasOf } from '../../../domain/access/quotas.js';
import { accountOfTrigger, runByTrigger } from '../../../domain/feeds/triggers.js';
import { releaseDue } from '../../../domain/jobs/release-jobs.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import type { ApiServices } from '../../services.js';

/** When a caller may call again whose account has used its quota of requests. */
const RETRY_AFTER_SECONDS = 60;

export const triggerFeedRoute = defineRoute({
  method: 'POST',
  path: '/feed-triggers/:key',
  operationId: 'triggerFeed',
  family: 'catalog',
  tag: 'Feeds',
  summary: 'Have a feed run, by its address',
  description:
    'For webhooks of storages and ERPs: the address is that of `POST /feeds/{feedId}/actions/renew-trigger`, no token is needed, and a body is not read. While a run goes on, one more follows. It is answered alike whatever the feed is and does.',
  auth: { public: true },
  ignoresBody: true,
  siteContext: false,
  params: z.object({ key: z.string().max(100) }),
  refusals: {
    404: 'There is no such address (any more)',
    429: 'The account has used its quota of requests; call again after Retry-After seconds',
  },
  responses: { 202: { description: 'Understood', schema: z.object({}) } },
  async handle({ params: { key }, takeTurn }, services) {
    const { db, producer, logger } = services;
    await takeTurn(await spend(services, key));
    const started = await withRetries(db, (trx) => runByTrigger(trx, key));
    if (started === undefined) throw noSuchTrigger();
    const { siteId, outboxEntries } = started;
    await enqueueEntries(producer, outboxEntries.length > 0 ? outboxEntries : await releaseDue(db, [siteId]), logger);
    return { status: 202, body: {} };
  },
});

/**
 * Counts it with the requests of the account, if it has a quota.
 * @returns the account
 * @throws DomainError not-found or busy, which say nothing of it
 */
async function spend({ db, quotas }: Pick<ApiServices, 'db' | 'quotas'>, key: string): Promise<string> {
  const account = await accountOfTrigger(db, key);
  if (account === undefined) throw noSuchTrigger();
  const limit = quotasOf(account.quotas).requests;
  if (limit === undefined) return account.accountId;
  try {
    await quotas.spendRequest(account.accountId, limit);
    return account.accountId;
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'busy') throw error;
    const message = 'this address was called too often: call it again in a minute';
    throw new DomainError('busy', 'TOO_MANY_REQUESTS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}

/** The same for every reason: nobody learns which addresses there were. */
function noSuchTrigger(): DomainError {
  const message =
    'nothing is triggered by this address: it was mistyped, renewed or deleted; ask the person from whom you have it';
  return new DomainError('not-found', 'TRIGGER_NOT_FOUND', message);
}
