/** The configuration of `npm run admin`: environment variables, or the files that `npm start` wrote to DATA_DIR. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Config, ConfigError, loadConfig } from './config.js';

/** The files that a running embedded system writes to its DATA_DIR. */
const runtimeSchema = z.object({ databaseUrl: z.string().min(1), baseUrl: z.string().optional() });

const secretsSchema = z.object({ secretsKey: z.string().min(1) });

/**
 * @returns the keys that encrypt secrets, the newest first
 * @throws ConfigError when no key is set and DATA_DIR contains none
 */
export function loadAdminSecretsKeys(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const configured = environment.SECRETS_KEY?.split(',').map((key) => key.trim());
  const keys = configured?.filter((key) => key !== '') ?? [];
  if (keys.length > 0) return keys;
  const path = join(adminDataDir(environment), 'secrets.json');
  try {
    return [secretsSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).secretsKey];
  } catch {
    throw new ConfigError(`SECRETS_KEY is not set, and ${path} contains none; set the SECRETS_KEY of the service`);
  }
}

/** The folder of an embedded system. */
export function adminDataDir(environment: Readonly<Record<string, string | undefined>>): string {
  return environment.DATA_DIR?.trim() || '.data';
}

/**
 * @returns the address at which browsers reach the service, without a trailing slash
 * @throws ConfigError that says what to set, when it is not known
 */
export function adminPublicUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const configured = environment.PUBLIC_URL?.trim();
  if (configured) return configured.replace(/\/+$/, '');
  const path = join(adminDataDir(environment), 'runtime.json');
  try {
    const { baseUrl } = runtimeSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    if (baseUrl !== undefined) return baseUrl;
  } catch {
    // There is no embedded system.
  }
  throw new ConfigError('PUBLIC_URL is not set; set it to the address at which people reach the service');
}

/**
 * @param databaseUrl default: what `loadAdminDatabaseUrl` finds
 * @returns the whole configuration, for commands that use more of the system than its database
 * @throws ConfigError that names each wrong variable
 */
export function loadAdminConfig(
  environment: Readonly<Record<string, string | undefined>>,
  databaseUrl?: string,
): Config {
  const DATABASE_URL = databaseUrl ?? loadAdminDatabaseUrl(environment);
  return loadConfig({ ...environment, DATABASE_URL, SECRETS_KEY: loadAdminSecretsKeys(environment).join(',') });
}

/**
 * @returns the URL of the database
 * @throws ConfigError that says what to set or start, when there is none
 */
export function loadAdminDatabaseUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const configured = environment.DATABASE_URL?.trim();
  if (configured) return configured;
  const dataDir = adminDataDir(environment);
  const path = join(dataDir, 'runtime.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(
      `DATABASE_URL is not set and no embedded system runs in ${dataDir}; run npm start first, or set DATABASE_URL or DATA_DIR`,
    );
  }
  try {
    return runtimeSchema.parse(JSON.parse(text)).databaseUrl;
  } catch {
    throw new ConfigError(
      `${path} was not written by npm start or is damaged; run npm start again, or set DATABASE_URL`,
    );
  }
}
