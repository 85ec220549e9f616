/** The columns of a definition whose deliveries another secret signs from now on. */
import { sealSecret } from '../../access/sealed-secret.js';
import { SECRET_OVERLAP_MS } from '../../access/signing-secret.js';
import { DomainError } from '../../kernel/errors.js';
import type { DefinitionColumns } from './definition-row.js';
import { olderPlace, type SigningSecrets, sealSigningSecret, usableSecrets } from './signing-secrets.js';

/** The maximum number of secrets that sign at a time: each adds a signature to every request. */
const MAX_SIGNING_SECRETS = 10;

/**
 * Returns the columns that replace the secret of a definition. Every secret that signs now signs on until its time ends; those that
 * no key opens any more are left out.
 * @throws DomainError conflict when too many secrets sign, or the new one is among them
 */
export function rotatedColumns(
  secretsKeys: readonly string[],
  definition: SigningSecrets,
  secret: string,
  now: Date,
): DefinitionColumns {
  const { current, replaced: older } = usableSecrets(secretsKeys, definition, now);
  if (secret === current || older.some((one) => one.secret === secret)) {
    throw new DomainError('conflict', 'SECRET_IN_USE', 'signingSecret: this secret signs already; send another one');
  }
  const oldest = older.at(-1);
  if (oldest !== undefined && older.length + 2 > MAX_SIGNING_SECRETS) {
    const message = `${MAX_SIGNING_SECRETS} secrets sign already; the oldest of them ends at ${oldest.until.toISOString()}: rotate again after that`;
    throw new DomainError('conflict', 'TOO_MANY_SECRETS', message);
  }
  const { id } = definition;
  return {
    secret: sealSigningSecret(secretsKeys, id, secret),
    previous_secret: current === undefined ? null : definition.secret,
    previous_secret_until: current === undefined ? null : new Date(now.getTime() + SECRET_OVERLAP_MS),
    older_secrets: older.length === 0 ? null : sealSecret(secretsKeys, olderPlace(id), JSON.stringify(older)),
  };
}
