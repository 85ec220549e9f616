/** Converts the fields of a definition to the columns of its row. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Model } from 'objection';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { sealSecret, unlessLost } from '../../access/sealed-secret.js';
import { DomainError } from '../../kernel/errors.js';
import { MASK, maskedTarget } from '../model/masks.js';
import type { DefinitionChange } from './definition-input.js';
import { hintOf, isMask } from './hints.js';
import { headersPlace, openHeaders, sealTargetApiKey } from './target-secrets.js';

export type DefinitionColumns = Partial<Omit<WebhookDefinition, keyof Model>>;

/** What a row contains before a change, as far as masks in the change refer to it. */
type MaskedColumns = Pick<WebhookDefinition, 'target_api_key_hint' | 'headers' | 'header_hints'>;

/**
 * Returns the columns that a change sets. The mask of a stored API key or header leaves it unchanged, and what no key opens any
 * more can be replaced.
 * @param before null: the definition is new
 * @throws DomainError invalid when a value is a mask, but not that of a stored value that can be read
 */
export function columnsOf(
  secretsKeys: readonly string[],
  id: string,
  change: DefinitionChange,
  before: MaskedColumns | null,
): DefinitionColumns {
  const { target, protocol, source, events, apiVersion, format, callbackUrl, rateLimit, ordering, filter } = change;
  const { collectHours } = change;
  return {
    ...(target === undefined ? {} : { target, target_digest: digestTarget(target) }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(source === undefined ? {} : { source }),
    ...(events === undefined ? {} : { events: [...events] }),
    ...(apiVersion === undefined ? {} : { api_version: apiVersion }),
    ...(format === undefined ? {} : { format }),
    ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
    ...(rateLimit === undefined ? {} : { rate_limit: rateLimit }),
    ...(ordering === undefined ? {} : { ordering: ordering === 'none' ? null : ordering }),
    ...(filter === undefined ? {} : { filter }),
    ...(collectHours === undefined ? {} : { collect_hours: collectHours }),
    ...apiKeyColumns(secretsKeys, id, change.targetApiKey, before?.target_api_key_hint ?? null),
    ...headerColumns(secretsKeys, id, change.headers, before),
  };
}

function headerColumns(
  secretsKeys: readonly string[],
  id: string,
  headers: Readonly<Record<string, string>> | undefined,
  before: MaskedColumns | null,
): DefinitionColumns {
  if (headers === undefined) return {};
  // Who sends back what was read changes nothing, whether the values can be opened or not.
  if (before !== null && before.headers !== null && isDeepStrictEqual(headers, maskedTarget(before).headers)) return {};
  const stored = before === null ? {} : unlessLost(() => openHeaders(secretsKeys, { id, headers: before.headers }));
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    const known = stored?.[name];
    if (known !== undefined && value === MASK + hintOf(known)) return [name, known];
    if (!isMask(value)) return [name, value];
    const why =
      stored === undefined
        ? 'the stored value cannot be read any more, because SECRETS_KEY has no key that opens it; '
        : 'this is not the mask of the stored value; leave headers out to keep them, or ';
    throw new DomainError('invalid', 'HEADER_MASK', `headers.${name}: ${why}send a complete value`);
  });
  if (entries.length === 0) return { headers: null, header_hints: null };
  return {
    headers: sealSecret(secretsKeys, headersPlace(id), JSON.stringify(Object.fromEntries(entries))),
    header_hints: Object.fromEntries(entries.map(([name, value]) => [name, hintOf(value)])),
  };
}

function apiKeyColumns(
  secretsKeys: readonly string[],
  id: string,
  key: string | null | undefined,
  keyHint: string | null,
): DefinitionColumns {
  if (key === undefined || (key !== null && keyHint !== null && key === MASK + keyHint)) return {};
  if (key === null) return { target_api_key: null, target_api_key_hint: null };
  if (isMask(key)) {
    const message =
      'targetApiKey: this is not the mask of the stored key; leave the field out to keep that key, or send a complete key';
    throw new DomainError('invalid', 'API_KEY_MASK', message);
  }
  return { target_api_key: sealTargetApiKey(secretsKeys, id, key), target_api_key_hint: hintOf(key) };
}

/**
 * The digest by which the database finds definitions with the same target: that of the URL in its normal form, in which
 * the host is in lower case, the default port is left out, and so is the fragment, which is never sent.
 */
function digestTarget(target: string): Buffer {
  const url = new URL(target);
  url.hash = '';
  return createHash('sha256').update(url.href, 'utf8').digest();
}
