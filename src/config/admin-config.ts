/** Which database `npm run admin` works on: the configured one, or that of the embedded system while it runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from './config.js';

/** What a running embedded system writes under its DATA_DIR. */
const runtimeSchema = z.object({ databaseUrl: z.string().min(1) });

/**
 * @returns the database's URL
 * @throws ConfigError, saying what to set or start, when there is none
 */
export function loadAdminDatabaseUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const configured = environment.DATABASE_URL?.trim();
  if (configured) return configured;
  const dataDir = environment.DATA_DIR?.trim() || '.data';
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
    throw new ConfigError(`${path} is not what npm start writes there; restart it, or set DATABASE_URL`);
  }
}
