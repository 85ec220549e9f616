/** A definition's fields as its row holds them. */
import { createHash } from 'node:crypto';
import type { Model } from 'objection';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { DomainError } from '../../kernel/errors.js';
import { apiKeyHint, isMask, maskedApiKey } from './api-key-mask.js';
import type { DefinitionChange } from './definition-input.js';
import { sealTargetApiKey } from './definition-secrets.js';

export type DefinitionColumns = Partial<Omit<WebhookDefinition, keyof Model>>;

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
