/** Converts the fields of a definition to the columns of its row, and seals and opens its secrets. */
import { createHash } from 'node:crypto';
import type { Model } from 'objection';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { sealSecret, unsealSecret } from '../../access/sealed-secret.js';
import { DomainError } from '../../kernel/errors.js';
import type { DefinitionChange } from './definition-input.js';

type DefinitionColumns = Partial<Omit<WebhookDefinition, keyof Model>>;

/**
 * Returns the columns that a change sets. The mask of the stored API key leaves the key unchanged.
 * @param keyHint the hint of the stored API key; null: there is none
 * @throws DomainError invalid when the API key is a mask, but not that of the stored key
 */
export function columnsOf(
  secretsKeys: readonly string[],
  id: string,
  change: DefinitionChange,
  keyHint: string | null,
): DefinitionColumns {
  const { target, protocol, source, events, apiVersion, format, callbackUrl, rateLimit } = change;
  return {
    ...(target === undefined ? {} : { target, target_digest: digestTarget(target) }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(source === undefined ? {} : { source }),
    ...(events === undefined ? {} : { events: [...events] }),
    ...(apiVersion === undefined ? {} : { api_version: apiVersion }),
    ...(format === undefined ? {} : { format }),
    ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
    ...(rateLimit === undefined ? {} : { rate_limit: rateLimit }),
    ...apiKeyColumns(secretsKeys, id, change.targetApiKey, keyHint),
  };
}

function apiKeyColumns(
  secretsKeys: readonly string[],
  id: string,
  key: string | null | undefined,
  keyHint: string | null,
): DefinitionColumns {
  if (key === undefined || (key !== null && key === maskedApiKey(keyHint))) return {};
  if (key === null) return { target_api_key: null, target_api_key_hint: null };
  if (isMask(key)) {
    const message =
      'targetApiKey: this is not the mask of the stored key; leave the field out to keep that key, or send a complete key';
    throw new DomainError('invalid', 'API_KEY_MASK', message);
  }
  return { target_api_key: sealTargetApiKey(secretsKeys, id, key), target_api_key_hint: apiKeyHint(key) };
}

/** The digest by which the database finds definitions with the same target. */
function digestTarget(target: string): Buffer {
  return createHash('sha256').update(target, 'utf8').digest();
}

// The secrets of a definition: those that sign its deliveries, and the API key of its target

/** The columns that are needed to open the secrets of a definition. */
type SecretsOfDefinition = Pick<
  WebhookDefinition,
  'id' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'target_api_key'
>;

export function sealSigningSecret(secretsKeys: readonly string[], definitionId: string, secret: string): string {
  return sealSecret(secretsKeys, signingPlace(definitionId), secret);
}

function sealTargetApiKey(secretsKeys: readonly string[], definitionId: string, key: string): string {
  return sealSecret(secretsKeys, apiKeyPlace(definitionId), key);
}

/** The opened secrets of a definition. */
export interface OpenSecrets {
  /** The secrets that sign its deliveries, newest first. */
  readonly signing: readonly string[];
  /** The value of the header x-api-key; null: the target needs none. */
  readonly targetApiKey: string | null;
}

/** Opens the secrets that are needed to call the target of a definition. @throws UnsealError */
export function openSecrets(secretsKeys: readonly string[], definition: SecretsOfDefinition, now: Date): OpenSecrets {
  return {
    signing: openSigningSecrets(secretsKeys, definition, now),
    targetApiKey: openTargetApiKey(secretsKeys, definition),
  };
}

/**
 * Opens the secrets that sign at the given time, newest first. @throws UnsealError
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
 * Opens the value of the header x-api-key; null: the target needs none. @throws UnsealError
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

// How the API key of a target is shown: masked, except for the last characters of a long key

const SHOWN_CHARACTERS = 4;
/** The last four characters of a shorter key would reveal too much of it. */
const LONG_ENOUGH = 12;
const MASK = '****';

/** The part of a key that is stored in plain text, to be shown after the mask. */
function apiKeyHint(key: string): string {
  return key.length >= LONG_ENOUGH ? key.slice(-SHOWN_CHARACTERS) : '';
}

/** Returns a key as it is shown: ****abcd. @param hint null: there is no key */
export function maskedApiKey(hint: string | null): string | null {
  return hint === null ? null : MASK + hint;
}

/** Whether a text is a mask and not a key. */
function isMask(text: string): boolean {
  return text.startsWith(MASK) && text.length <= MASK.length + SHOWN_CHARACTERS;
}
