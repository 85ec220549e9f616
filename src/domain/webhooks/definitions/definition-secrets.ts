/** The secrets of a definition: what signs its deliveries, and the API key that its target asks for. */
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { sealSecret, unsealSecret } from '../../access/sealed-secret.js';

/** What of a definition is needed to open its secrets. */
export type SecretsOfDefinition = Pick<
  WebhookDefinition,
  'id' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'target_api_key'
>;

export function sealSigningSecret(secretsKeys: readonly string[], definitionId: string, secret: string): string {
  return sealSecret(secretsKeys, signingPlace(definitionId), secret);
}

export function sealTargetApiKey(secretsKeys: readonly string[], definitionId: string, key: string): string {
  return sealSecret(secretsKeys, apiKeyPlace(definitionId), key);
}

/** The secrets of a definition, opened. */
export interface OpenSecrets {
  /** Sign its deliveries, the newest first. */
  readonly signing: readonly string[];
  /** To send as x-api-key; null: the target asks for none. */
  readonly targetApiKey: string | null;
}

/** What it takes to call a definition's target. @throws UnsealError */
export function openSecrets(secretsKeys: readonly string[], definition: SecretsOfDefinition, now: Date): OpenSecrets {
  return {
    signing: openSigningSecrets(secretsKeys, definition, now),
    targetApiKey: openTargetApiKey(secretsKeys, definition),
  };
}

/**
 * The secrets that sign at this moment, the newest first. @throws UnsealError
 * @internal exported for tests
 */
export function openSigningSecrets(
  secretsKeys: readonly string[],
  { id, secret, previous_secret, previous_secret_until }: SecretsOfDefinition,
  now: Date,
): string[] {
  const previous =
    previous_secret !== null && previous_secret_until !== null && previous_secret_until > now ? [previous_secret] : [];
  return [secret, ...previous].map((sealed) => unsealSecret(secretsKeys, signingPlace(id), sealed));
}

/**
 * The key to send as x-api-key; null: the target asks for none. @throws UnsealError
 * @internal exported for tests
 */
export function openTargetApiKey(
  secretsKeys: readonly string[],
  { id, target_api_key }: SecretsOfDefinition,
): string | null {
  return target_api_key === null ? null : unsealSecret(secretsKeys, apiKeyPlace(id), target_api_key);
}

function signingPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} secret`;
}

function apiKeyPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} target_api_key`;
}
