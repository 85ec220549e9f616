/** The secrets of webhook definitions: where they are stored, and how another one comes to sign. */
import type { Db } from '../../../db/connection.js';
import { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { withRetries } from '../../../db/with-retries.js';
import type { SealedColumn } from '../access/reseal-secrets.js';
import { newSigningSecret } from '../access/signing-secret.js';
import { keepFormer } from './definitions/former-definitions.js';
import { lockDefinition } from './definitions/lock-definition.js';
import { rotatedColumns } from './definitions/rotated-columns.js';
import type { WithSecret } from './definitions/signing-secrets.js';

/**
 * Replaces the secret. The old one signs for another day, and so do those that were replaced less than a day ago.
 * @param signingSecret `whsec_…`
 * @throws DomainError not-found, conflict (too many secrets sign, or this one does already)
 */
export function rotateSecret(
  db: Db,
  siteId: number,
  id: string,
  secretsKeys: readonly string[],
  signingSecret: string = newSigningSecret(),
): Promise<WithSecret> {
  return withRetries(db, async (trx) => {
    const before = await lockDefinition(trx, siteId, id);
    const now = new Date();
    const columns = rotatedColumns(secretsKeys, before, signingSecret, now);
    const version = await keepFormer(trx, before, ['secret']);
    const changed = { ...columns, version, updated_at: now };
    const definition = await WebhookDefinition.query(trx).patchAndFetchById(before.id, changed);
    return { definition, signingSecret };
  });
}

export const SECRETS_OF_DEFINITIONS: readonly SealedColumn[] = [
  { table: 'webhook_definition', column: 'secret', place: 'secret' },
  { table: 'webhook_definition', column: 'previous_secret', place: 'secret' },
  { table: 'webhook_definition', column: 'older_secrets', place: 'older_secrets' },
  { table: 'webhook_definition', column: 'headers', place: 'headers' },
  { table: 'webhook_definition', column: 'target_api_key', place: 'target_api_key' },
];
