/** Deletes a definition. What was delivered to it is still told by the event log. */
import type { Db } from '../../../../db/connection.js';
import { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { withRetries } from '../../../../db/with-retries.js';
import { cancelPending } from './cancel-pending.js';
import { lockDefinition } from './find-definition.js';

/** @returns what was deleted @throws DomainError not-found */
export function deleteDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  return withRetries(db, async (trx) => {
    const definition = await lockDefinition(trx, siteId, id);
    await WebhookDefinition.query(trx).deleteById(definition.id);
    await cancelPending(trx, definition.id);
    return definition;
  });
}
