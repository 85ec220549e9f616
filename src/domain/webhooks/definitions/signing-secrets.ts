/** The secrets that sign the deliveries of a definition. */
import { z } from 'zod';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { sealSecret, unlessLost, unsealSecret } from '../../access/sealed-secret.js';

export type SigningSecrets = Pick<
  WebhookDefinition,
  'id' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'older_secrets'
>;

/** A definition that was given a secret. */
export interface WithSecret {
  readonly definition: WebhookDefinition;
  /** It is not shown again. */
  readonly signingSecret: string;
}

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

/** The secrets that sign and that a key opens. */
interface UsableSecrets {
  /** Undefined: no key opens it any more. */
  readonly current: string | undefined;
  /** Newest first. */
  readonly replaced: readonly ReplacedSecret[];
}

/** Opens what can be opened of the secrets that sign at the given time: what is lost can be replaced. */
export function usableSecrets(secretsKeys: readonly string[], definition: SigningSecrets, now: Date): UsableSecrets {
  const replacedOf = (kept: Partial<SigningSecrets>) =>
    unlessLost(() => replacedSecrets(secretsKeys, { ...definition, ...kept }, now)) ?? [];
  return {
    current: unlessLost(() => unsealSecret(secretsKeys, signingPlace(definition.id), definition.secret)),
    replaced: [...replacedOf({ older_secrets: null }), ...replacedOf({ previous_secret: null })],
  };
}

/** Opens the secrets that were replaced and still sign, newest first. @throws UnsealError */
function replacedSecrets(
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
