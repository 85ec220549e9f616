/** Keeps how a target was called before a change of its definition: the log shows attempts as they were made. */

import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { unlessLost } from '../../access/sealed-secret.js';
import { openHeaders, openTargetApiKey } from './target-secrets.js';

/** What a change of a definition can mean for its requests. */
const CHANGED_PARTS = ['target', 'headers', 'targetApiKey', 'format', 'apiVersion', 'secret'] as const;
export type ChangedPart = (typeof CHANGED_PARTS)[number];

type Called = Pick<WebhookDefinition, 'id' | 'target' | 'headers' | 'target_api_key' | 'format' | 'api_version'>;

/**
 * Lists what is sent otherwise after a change. Sealed values are compared as they are sent: a change may repeat them. What no key
 * opens any more cannot be sent, so that what replaces it counts as another one.
 */
export function changedParts(secretsKeys: readonly string[], before: Called, after: Called): ChangedPart[] {
  const isOtherSecret = (open: typeof openHeaders | typeof openTargetApiKey) => {
    const former = unlessLost(() => open(secretsKeys, before));
    return former === undefined || !isDeepStrictEqual(former, open(secretsKeys, after));
  };
  const isOther: Readonly<Record<ChangedPart, () => boolean>> = {
    target: () => before.target !== after.target,
    headers: () => before.headers !== after.headers && isOtherSecret(openHeaders),
    targetApiKey: () => before.target_api_key !== after.target_api_key && isOtherSecret(openTargetApiKey),
    format: () => before.format !== after.format,
    apiVersion: () => before.api_version !== after.api_version,
    secret: () => false,
  };
  return CHANGED_PARTS.filter((part) => isOther[part]());
}

/**
 * Keeps a definition as it was before a change.
 * @param before locked
 * @param changed nothing: requests stay as they are, and nothing is kept
 * @returns the version from now on
 */
export async function keepFormer(
  trx: Knex.Transaction,
  before: WebhookDefinition,
  changed: readonly ChangedPart[],
): Promise<number> {
  const { id, version, target, format, api_version, target_api_key_hint, header_hints } = before;
  if (changed.length === 0) return version;
  await trx('former_definition').insert({
    ...{ definition_id: id, version, target, format, api_version, target_api_key_hint },
    header_hints: header_hints === null ? null : JSON.stringify(header_hints),
    changed: [...changed],
    ended_at: new Date(),
  });
  return version + 1;
}
