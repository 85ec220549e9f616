/** Converts the fields of a definition to the columns of its row, and seals and opens its secrets. */
import { createHash } from 'node:crypto';
import type { Model } from 'objection';
import { z } from 'zod';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { sealSecret, unsealSecret } from '../../access/sealed-secret.js';
import { SECRET_OVERLAP_MS } from '../../access/signing-secret.js';
import { DomainError } from '../../kernel/errors.js';
import type { DefinitionChange } from './definition-input.js';

type DefinitionColumns = Partial<Omit<WebhookDefinition, keyof Model>>;

/** What a row contains before a change, as far as masks in the change refer to it. */
type MaskedColumns = Pick<WebhookDefinition, 'target_api_key_hint' | 'headers' | 'header_hints'>;

/**
 * Returns the columns that a change sets. The mask of a stored API key or header leaves it unchanged.
 * @param before null: the definition is new
 * @throws DomainError invalid when a value is a mask, but not that of the stored value; UnsealError
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
  const stored = before === null ? {} : openHeaders(secretsKeys, { id, headers: before.headers });
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    const known = stored[name];
    if (known !== undefined && value === MASK + hintOf(known)) return [name, known];
    if (!isMask(value)) return [name, value];
    const message = `headers.${name}: this is not the mask of the stored value; leave headers out to keep them, or send a complete value`;
    throw new DomainError('invalid', 'HEADER_MASK', message);
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
  if (key === undefined || (key !== null && key === maskedApiKey(keyHint))) return {};
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

// The secrets of a definition: those that sign its deliveries, and the API key of its target

/** The columns that are needed to open the secrets of a definition. */
type SecretsOfDefinition = SigningSecrets & Pick<WebhookDefinition, 'target_api_key' | 'headers'>;
type SigningSecrets = Pick<
  WebhookDefinition,
  'id' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'older_secrets'
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
  /** The headers of the definition, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens the secrets that are needed to call the target of a definition. @throws UnsealError */
export function openSecrets(secretsKeys: readonly string[], definition: SecretsOfDefinition, now: Date): OpenSecrets {
  return {
    signing: openSigningSecrets(secretsKeys, definition, now),
    targetApiKey: openTargetApiKey(secretsKeys, definition),
    headers: openHeaders(secretsKeys, definition),
  };
}

/**
 * Opens the secrets that sign at the given time, newest first. @throws UnsealError
 * @internal exported for tests
 */
export function openSigningSecrets(secretsKeys: readonly string[], definition: SigningSecrets, now: Date): string[] {
  const current = unsealSecret(secretsKeys, signingPlace(definition.id), definition.secret);
  return [current, ...replacedSecrets(secretsKeys, definition, now).map(({ secret }) => secret)];
}

const replacedSecretsSchema = z.array(z.object({ secret: z.string(), until: z.coerce.date() }));
type ReplacedSecret = z.output<typeof replacedSecretsSchema>[number];

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

/** The maximum number of secrets that sign at a time: each adds a signature to every request. */
const MAX_SIGNING_SECRETS = 10;

/**
 * Returns the columns that replace the secret of a definition. Every secret that signs now signs on until its time ends.
 * @throws DomainError conflict when too many secrets sign, or the new one is among them; UnsealError
 */
export function rotatedColumns(
  secretsKeys: readonly string[],
  definition: SigningSecrets,
  secret: string,
  now: Date,
): DefinitionColumns {
  const older = replacedSecrets(secretsKeys, definition, now);
  if (openSigningSecrets(secretsKeys, definition, now).includes(secret)) {
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
    previous_secret: definition.secret,
    previous_secret_until: new Date(now.getTime() + SECRET_OVERLAP_MS),
    older_secrets: older.length === 0 ? null : sealSecret(secretsKeys, olderPlace(id), JSON.stringify(older)),
  };
}

const headersSchema = z.record(z.string(), z.string());

/** @throws UnsealError */
function openHeaders(
  secretsKeys: readonly string[],
  { id, headers }: Pick<WebhookDefinition, 'id' | 'headers'>,
): Record<string, string> {
  return headers === null ? {} : headersSchema.parse(JSON.parse(unsealSecret(secretsKeys, headersPlace(id), headers)));
}

/**
 * Opens the value of the header x-api-key; null: the target needs none. @throws UnsealError
 * @internal exported for tests
 */
export function openTargetApiKey(
  secretsKeys: readonly string[],
  { id, target_api_key }: Pick<WebhookDefinition, 'id' | 'target_api_key'>,
): string | null {
  return target_api_key === null ? null : unsealSecret(secretsKeys, apiKeyPlace(id), target_api_key);
}

function signingPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} secret`;
}

function olderPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} older_secrets`;
}

function headersPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} headers`;
}

function apiKeyPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} target_api_key`;
}

// How the API key and the headers of a target are shown: masked, except for the last characters of a long value

const SHOWN_CHARACTERS = 4;
/** The last four characters of a shorter key would reveal too much of it. */
const LONG_ENOUGH = 12;
const MASK = '****';

/** The part of a value that is stored in plain text, to be shown after the mask. */
function hintOf(value: string): string {
  return value.length >= LONG_ENOUGH ? value.slice(-SHOWN_CHARACTERS) : '';
}

/** Returns a key as it is shown: ****abcd. @param hint null: there is no key */
export function maskedApiKey(hint: string | null): string | null {
  return hint === null ? null : MASK + hint;
}

/** Returns headers as they are shown. @param hints null: there are none */
export function maskedHeaders(hints: Readonly<Record<string, string>> | null): Record<string, string> {
  return Object.fromEntries(Object.entries(hints ?? {}).map(([name, hint]) => [name, MASK + hint]));
}

/** Whether a text is a mask and not a key. */
function isMask(text: string): boolean {
  return text.startsWith(MASK) && text.length <= MASK.length + SHOWN_CHARACTERS;
}
