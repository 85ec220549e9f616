/** Which variables are required, or needed with what others say. */
import type { Environment } from './environment.js';
import { hasHashTag, parseRedisUrl } from './redis-url.js';
import { isS3, wrongStorage } from './storage-config.js';

export function requiredVariables(env: Environment, production: boolean): string[] {
  const missing: string[] = [];
  if (env.DATABASE_URL === undefined) {
    missing.push(
      'DATABASE_URL: is not set; set it to the address of a Postgres 14 or newer (npm start brings one along)',
    );
  }
  if (env.SECRETS_KEY === undefined) {
    missing.push(
      'SECRETS_KEY: is not set; set it to a random text of at least 32 characters (or several, separated by commas, to change keys)',
    );
  } else if (env.SECRETS_KEY.split(',').some((key) => key.trim().length < 32)) {
    missing.push('SECRETS_KEY: each key needs at least 32 characters');
  }
  if (production && env.PUBLIC_URL === undefined) {
    missing.push(
      'PUBLIC_URL: is not set; set it to the address at which clients reach the API, with which signed URLs begin',
    );
  }
  if (env.STORAGE_URL !== undefined) missing.push(...wrongStorage(env.STORAGE_URL));
  if (production && !env.STORAGE_SHARED && !isS3(env.STORAGE_URL)) {
    missing.push(
      'STORAGE_SHARED: files are stored in a folder that all processes must share; set STORAGE_SHARED=1 if they do, or STORAGE_URL=s3://…',
    );
  }
  return missing;
}

/**
 * On Postgres the prefix is the name of a schema without other tables. BullMQ's scripts use several keys of Redis at once,
 * and a Cluster executes them only if all are in one slot.
 */
export function wrongPrefix({ REDIS_URL, QUEUE_PREFIX: prefix }: Environment): string[] {
  if (prefix === undefined) return [];
  if (REDIS_URL === undefined) {
    if (/^[a-z_][a-z0-9_$]{0,62}$/.test(prefix) && !/^(?:public$|pg_)/.test(prefix)) return [];
    const form = '1 to 63 small letters, digits and _, not beginning with a digit or pg_, and not public';
    return [`QUEUE_PREFIX: expected the name of a schema for the queues alone: ${form}; got "${prefix}"`];
  }
  if (hasHashTag(prefix) || parseRedisUrl(REDIS_URL).kind !== 'cluster') return [];
  return [`QUEUE_PREFIX: on a Redis Cluster it needs a hash tag: set it to {${prefix.replace(/[{}]/g, '')}}`];
}
