/** Enables and disables webhook definitions. */
import type { Db } from '../../../db/connection.js';
import { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { withRetries } from '../../../db/with-retries.js';
import { disable } from './definitions/cancel-pending.js';
import { lockDefinition } from './definitions/lock-definition.js';
import { resetHealth } from './definitions/reset-health.js';

/** The `disabledReason` of a definition that its owner disabled. */
const ON_REQUEST = 'disabled on request';

/** Longer than any transaction that saw a definition disabled, and collects an event for it. */
const LATE = "interval '1 day'";

/**
 * Enables a definition unless it is enabled. What it has collected is to be released (release-collected.ts). The first delivery
 * probes its endpoint.
 * @throws DomainError not-found
 */
export function enableDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  return withRetries(db, async (trx) => {
    const definition = await lockDefinition(trx, siteId, id);
    if (definition.status === 'ACTIVE') return definition;
    await resetHealth(trx, definition.id, { probeFirst: true });
    return WebhookDefinition.query(trx).patchAndFetchById(definition.id, {
      status: 'ACTIVE',
      disabled_reason: null,
      disabled_at: null,
      collects_until: null,
      releases_until: trx.raw(`now() + ${LATE}`),
      updated_at: new Date(),
    });
  });
}

/**
 * Disables a definition: it gets no events until it is enabled, but collects them for some time. Its pending deliveries
 * are cancelled, and can be replayed later. @throws DomainError not-found
 */
export function disableDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  return withRetries(db, async (trx) => {
    const definition = await lockDefinition(trx, siteId, id);
    return (await disable(trx, definition.id, ON_REQUEST)) ?? definition;
  });
}
