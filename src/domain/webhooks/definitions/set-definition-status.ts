/** Switches a definition on and off by hand. */
import type { Db } from '../../../../db/connection.js';
import { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { withRetries } from '../../../../db/with-retries.js';
import { cancelPending } from './cancel-pending.js';
import { forgetHealth } from './endpoint-health.js';
import { lockDefinition } from './find-definition.js';

/** What a definition that was disabled by its owner says. */
const ON_REQUEST = 'disabled on request';

/** One that is enabled already stays as it is. The first delivery after it tries the endpoint out. @throws DomainError not-found */
export function enableDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  return withRetries(db, async (trx) => {
    const definition = await lockDefinition(trx, siteId, id);
    if (definition.status === 'ACTIVE') return definition;
    await forgetHealth(trx, definition.id, { probeFirst: true });
    const enabled = { status: 'ACTIVE', disabled_reason: null, updated_at: new Date() } as const;
    return WebhookDefinition.query(trx).patchAndFetchById(definition.id, enabled);
  });
}

/** It hears no event until it is enabled; what it has not been told yet is cancelled, to be replayed. @throws DomainError not-found */
export function disableDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  return withRetries(db, async (trx) => {
    const definition = await lockDefinition(trx, siteId, id);
    if (definition.status === 'DISABLED') return definition;
    await cancelPending(trx, definition.id);
    const disabled = { status: 'DISABLED', disabled_reason: ON_REQUEST, updated_at: new Date() } as const;
    return WebhookDefinition.query(trx).patchAndFetchById(definition.id, disabled);
  });
}
