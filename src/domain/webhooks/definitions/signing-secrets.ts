/** The secrets that sign the deliveries of a definition. */
import { z } from 'zod';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { sealSecret, unsealSecret } from '../../access/sealed-secret.js';

export type SigningSecrets = Pick<
  WebhookDefinition,
  'id' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'older_secrets'
>;

export function sealSigningSecret(secretsKeys: readonly string[], definitionId: string, secret: string): string {
  return sealSecret(secretsKeys, signingPlace(definitionId), secret);
}

/** Opens the secrets that sign at the given time, newest first. @throws UnsealError */
export function openSigningSecrets(secretsKeys: readonly string[], definition: SigningSecrets, now: Date): string[] {
  const current = unsealSecret(secretsKeys, signingPlace(definition.id), definition.secret);
  return [current, ...replacedSecrets(secretsKeys, definition, now).map(({ secret }) => secret)];
}

const replacedSecretsSchema = z.array(z.object({ secret: z.string(), until: z.coerce.date() }));
type ReplacedSecret = z.output<typeof replacedSecretsSchema>[number];

/** Opens the secrets that were replaced and still sign, newest first. @throws UnsealError */
export function replacedSecrets(
  secretsKeys: readonly string[],
  { id, previous_secret, previous_secret_until, older_secrets }: SigningSecrets,
  now: Date,
): ReplacedSecret[] {
  const previous =
    previous_secret !== null && previous_secret_until !== null && previous_secret_until > now
      ? [{ secret: unsealSecret(secretsKeys, signingPlace(id), previous_secret), until: previous_secret_until }]
      : [];
  const older =
    older_secrets === null
      ? []
      : replacedSecretsSchema.parse(JSON.parse(unsealSecret(secretsKeys, olderPlace(id), older_secrets)));
  return [...previous, ...older.filter(({ until }) => until > now)];
}

function signingPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} secret`;
}

export function olderPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} older_secrets`;
}
