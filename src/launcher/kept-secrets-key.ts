/** The default of SECRETS_KEY, which is created once and stored in DATA_DIR. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readPrivateJson, writePrivateJson } from './private-json.js';

export function keptSecretsKey(dataDir: string): string {
  const path = join(dataDir, 'secrets.json');
  const { secretsKey } = readPrivateJson(path) ?? {};
  if (typeof secretsKey === 'string') return secretsKey;
  const made = randomBytes(32).toString('base64url');
  writePrivateJson(path, { secretsKey: made });
  return made;
}
