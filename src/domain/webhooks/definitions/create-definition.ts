/** Makes a definition, with the secret that signs its deliveries. */
import type { Db } from '../../../../db/connection.js';
import { EndpointHealth } from '../../../../db/models/endpoint-health.js';
import { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { newSigningSecret } from '../../access/signing-secret.js';
import type { SiteContext } from '../../access/site-context.js';
import { newId } from '../../kernel/identifier.js';
import type { NewDefinition } from './definition-input.js';
import { columnsOf } from './definition-row.js';
import { sealSigningSecret } from './definition-secrets.js';
import { refusingDuplicates } from './duplicate-definition.js';

export interface CreatedDefinition {
  readonly definition: WebhookDefinition;
  /** Told once. */
  readonly signingSecret: string;
}

/** @throws DomainError conflict when there is one like it in the account, whatever its stage and channel; invalid (API key) */
export function createDefinition(
  db: Db,
  { siteId, accountId, channel }: SiteContext,
  { requestType, ...fields }: NewDefinition,
  secretsKeys: readonly string[],
): Promise<CreatedDefinition> {
  const id = newId();
  const signingSecret = newSigningSecret();
  const row = {
    ...columnsOf(secretsKeys, id, fields, null),
    id,
    account_id: accountId,
    site_id: siteId,
    channel,
    request_type: requestType,
    secret: sealSigningSecret(secretsKeys, id, signingSecret),
  };
  return refusingDuplicates(() =>
    db.transaction(async (trx) => {
      const definition = await WebhookDefinition.query(trx).insert(row).returning('*');
      await EndpointHealth.query(trx).insert({ definition_id: id });
      return { definition, signingSecret };
    }),
  );
}
