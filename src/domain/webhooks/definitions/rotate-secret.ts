/** Gives a definition a new signing secret. The old one signs too for a day, so that receivers can change over. */
import type { Db } from '../../../../db/connection.js';
import { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { withRetries } from '../../../../db/with-retries.js';
import { newSigningSecret, SECRET_OVERLAP_MS } from '../../access/signing-secret.js';
import type { CreatedDefinition } from './create-definition.js';
import { sealSigningSecret } from './definition-secrets.js';
import { lockDefinition } from './find-definition.js';

/** A rotation within a day of another ends the oldest secret at once. @throws DomainError not-found */
export function rotateSecret(
  db: Db,
  siteId: number,
  id: string,
  secretsKeys: readonly string[],
): Promise<CreatedDefinition> {
  return withRetries(db, async (trx) => {
    const before = await lockDefinition(trx, siteId, id);
    const signingSecret = newSigningSecret();
    const now = new Date();
    const definition = await WebhookDefinition.query(trx).patchAndFetchById(before.id, {
      secret: sealSigningSecret(secretsKeys, before.id, signingSecret),
      previous_secret: before.secret,
      previous_secret_until: new Date(now.getTime() + SECRET_OVERLAP_MS),
      updated_at: now,
    });
    return { definition, signingSecret };
  });
}
