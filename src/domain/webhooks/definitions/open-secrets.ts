/** Opens the secrets of a definition. */
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { openSigningSecrets, type SigningSecrets } from './signing-secrets.js';
import { openHeaders, openTargetApiKey } from './target-secrets.js';

/** The columns that are needed to open the secrets of a definition. */
type SecretsOfDefinition = SigningSecrets & Pick<WebhookDefinition, 'target_api_key' | 'headers'>;

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
