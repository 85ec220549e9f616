/** A definition's fields as its row holds them. */
import { createHash } from 'node:crypto';
import type { Model } from 'objection';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { sealSecret, unsealSecret } from '../../access/sealed-secret.js';
import { DomainError } from '../../kernel/errors.js';
import type { DefinitionChange } from './definition-input.js';

type DefinitionColumns = Partial<Omit<WebhookDefinition, keyof Model>>;

/**
 * The columns that a change sets.
 * @param keyHint of the API key that is kept: its mask leaves the key as it is; null: there is none
 * @throws DomainError invalid when the API key is a mask, but not that of the key that is kept
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
      'targetApiKey: this is a mask, and not that of the key that is kept; leave it out, or send the whole key';
    throw new DomainError('invalid', 'API_KEY_MASK', message);
  }
  return { target_api_key: sealTargetApiKey(secretsKeys, id, key), target_api_key_hint: apiKeyHint(key) };
}

/** What of a target takes part in the duplicate rule. */
function digestTarget(target: string): Buffer {
  return createHash('sha256').update(target, 'utf8').digest();
}

// The secrets of a definition: what signs its deliveries, and the API key that its target asks for.

/** What of a definition is needed to open its secrets. */
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

// How a target's API key is shown: masked, but for the end of one that is long enough to have its end told.

const SHOWN_CHARACTERS = 4;
/** Of a shorter key the last four characters would tell too much. */
const LONG_ENOUGH = 12;
const MASK = '****';

/** What is kept in the clear of a key, to be shown behind the mask. */
function apiKeyHint(key: string): string {
  return key.length >= LONG_ENOUGH ? key.slice(-SHOWN_CHARACTERS) : '';
}

/** A key as it is shown: ****abcd. @param hint null: there is no key */
export function maskedApiKey(hint: string | null): string | null {
  return hint === null ? null : MASK + hint;
}

/** Whether a text is a mask and no key. */
function isMask(text: string): boolean {
  return text.startsWith(MASK) && text.length <= MASK.length + SHOWN_CHARACTERS;
}
