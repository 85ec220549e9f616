/** The secrets that the target of a definition asks for: its API key, and its headers. */
import { z } from 'zod';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { sealSecret, unsealSecret } from '../../access/sealed-secret.js';

export function sealTargetApiKey(secretsKeys: readonly string[], definitionId: string, key: string): string {
  return sealSecret(secretsKeys, apiKeyPlace(definitionId), key);
}

const headersSchema = z.record(z.string(), z.string());

/** @throws UnsealError */
export function openHeaders(
  secretsKeys: readonly string[],
  { id, headers }: Pick<WebhookDefinition, 'id' | 'headers'>,
): Record<string, string> {
  return headers === null ? {} : headersSchema.parse(JSON.parse(unsealSecret(secretsKeys, headersPlace(id), headers)));
}

/** Opens the value of the header x-api-key; null: the target needs none. @throws UnsealError */
export function openTargetApiKey(
  secretsKeys: readonly string[],
  { id, target_api_key }: Pick<WebhookDefinition, 'id' | 'target_api_key'>,
): string | null {
  return target_api_key === null ? null : unsealSecret(secretsKeys, apiKeyPlace(id), target_api_key);
}

export function headersPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} headers`;
}

function apiKeyPlace(definitionId: string): string {
  return `webhook_definition ${definitionId} target_api_key`;
}
