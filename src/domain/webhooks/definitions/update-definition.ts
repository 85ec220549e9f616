/** Changes a definition; what the change does not name stays as it is. */
import type { Db } from '../../../../db/connection.js';
import { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { withRetries } from '../../../../db/with-retries.js';
import type { DefinitionChange } from './definition-input.js';
import { columnsOf } from './definition-row.js';
import { refusingDuplicates } from './duplicate-definition.js';
import { forgetHealth } from './endpoint-health.js';
import { lockDefinition } from './find-definition.js';

/** @throws DomainError not-found; conflict when it would be identical to another; invalid (API key) */
export function updateDefinition(
  db: Db,
  siteId: number,
  id: string,
  change: DefinitionChange,
  secretsKeys: readonly string[],
): Promise<WebhookDefinition> {
  return refusingDuplicates(() =>
    withRetries(db, async (trx) => {
      const before = await lockDefinition(trx, siteId, id);
      const columns = columnsOf(secretsKeys, before.id, change, before.target_api_key_hint);
      // Another endpoint is not to answer for what this one did.
      if (columns.target !== undefined && columns.target !== before.target) await forgetHealth(trx, before.id);
      return WebhookDefinition.query(trx).patchAndFetchById(before.id, { ...columns, updated_at: new Date() });
    }),
  );
}
