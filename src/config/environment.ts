/** All environment variables, with their defaults and limits. */
import { z } from 'zod';
import { parseIssuer, parseRoles } from './provider-config.js';
import { parseRedisUrl } from './redis-url.js';
import {
  fileText,
  flag,
  flagOr,
  integer,
  networks,
  onlyOf,
  optionalText,
  parsedBy,
  seconds,
  url,
} from './variable-parsers.js';

export const environmentSchema = z.object({
  NODE_ENV: optionalText,
  DATABASE_URL: url('postgres', 'postgresql'),
  REDIS_URL: parsedBy((text) => {
    parseRedisUrl(text);
    return text;
  }),
  REDIS_CA_FILE: fileText,
  REDIS_TLS_VERIFY: flagOr(true),
  STORAGE_URL: url('file', 's3'),
  AWS_REGION: optionalText,
  AWS_DEFAULT_REGION: optionalText,
  STORAGE_SHARED: flag,
  SECRETS_KEY: optionalText,
  PUBLIC_URL: parsedBy(parsePublicUrl),
  PORT: integer(3000, 0, 65_535),
  METRICS_PORT: integer(undefined, 0, 65_535),
  HOST: optionalText,
  DATA_DIR: optionalText,
  LOG_LEVEL: onlyOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').transform((level) => level ?? 'info'),
  QUEUE_PREFIX: optionalText,
  DATABASE_POOL_MAX: integer(10, 2, 200),
  DATABASE_SILENCE_MS: integer(5_000, 1_000, 600_000),
  PREPARED_STATEMENTS: flagOr(true),
  STATEMENT_TIMEOUT_MS: integer(60_000, 1_000, 3_600_000),
  WATCHDOG_MS: integer(600_000, 0, 86_400_000),
  LOCK_WAIT_MS: integer(5_000, 100, 600_000),
  BODY_BUDGET_MB: integer(64, 1, 4096),
  TRUSTED_PROXIES: networks,
  CORS_ORIGINS: parsedBy(parseOrigins),
  CONNECTIONS_PER_ADDRESS: integer(2_000, 1, 1_000_000),
  FEED_FOLDERS: parsedBy(parseFolders),
  FEED_LEAST_KB_PER_SECOND: integer(64, 0, 100_000),
  UPLOAD_MAX_MB: integer(1024, 1, 1_048_576),
  STORAGE_RESERVE_MB: integer(256, 0, 1_048_576),
  STORAGE_TIMEOUT_MS: integer(10_000, 100, 600_000),
  STEP_WAIT_LIMIT_SECONDS: integer(300, 1, 86_400),
  UPLOAD_IDLE_SECONDS: integer(60, 1, 3600),
  WORKER_PLAN_CONCURRENCY: integer(8, 1, 100),
  WORKER_CHUNK_CONCURRENCY: integer(4, 1, 32),
  WORKER_EXPORTS: integer(3, 1, 32),
  WORKER_DELIVERY_CONCURRENCY: integer(100, 1, 1000),
  WORKER_CHUNK_ROWS: integer(5_000, 1, 100_000),
  IMPORT_READER: onlyOf('fast', 'plain').transform((reader) => reader ?? 'fast'),
  WORKER_LOCK_MS: integer(30_000, 500, 600_000),
  WORKER_STALLED_MS: integer(15_000, 250, 600_000),
  SHUTDOWN_GRACE_MS: integer(20_000, 0, 120_000),
  RECONCILE_MS: integer(1_000, 50, 60_000),
  RECONCILE_GRACE_MS: integer(5_000, 100, 600_000),
  JOB_RETENTION_DAYS: integer(30, 1, 3650),
  AUDIT_RETENTION_DAYS: integer(365, 2, 36_500),
  CHANGE_RETENTION_DAYS: integer(90, 1, 3650),
  OPEN_UPLOADS_PER_ACCOUNT: integer(1_000, 1, 1_000_000),
  HELD_FILE_HOURS: integer(72, 1, 8_760),
  APPROVAL_HOURS: integer(72, 1, 8_760),
  SESSION_IDLE_HOURS: integer(8, 1, 8_760),
  SESSION_DAYS: integer(7, 1, 365),
  OIDC_ISSUER: parsedBy(parseIssuer),
  OIDC_CLIENT_ID: optionalText,
  OIDC_CLIENT_SECRET: optionalText,
  OIDC_ROLES: parsedBy(parseRoles),
  OIDC_GROUPS_CLAIM: optionalText,
  OIDC_SCOPES: optionalText,
  OIDC_NAME: optionalText,
  UPLOAD_URL_MINUTES: integer(15, 1, 1440),
  DASHBOARD_WRITABLE: flag,
  WEBHOOK_ALLOWED_NETWORKS: networks,
  WEBHOOK_SCHEDULE_SECONDS: seconds,
  WEBHOOK_BREAKER_SECONDS: integer(30, 1, 3600),
  WEBHOOK_TIMEOUT_SECONDS: integer(15, 1, 120),
  WEBHOOK_ENDPOINT_CONCURRENCY: integer(5, 1, 1000),
  WEBHOOK_RETENTION_DAYS: integer(30, 1, 3650),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('http', 'https'),
  OTEL_EXPORTER_OTLP_PROTOCOL: onlyOf('http/json'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: onlyOf('http/json'),
  OTEL_TRACES_EXPORTER: onlyOf('otlp', 'none'),
  OTEL_SDK_DISABLED: flag,
});

export type Environment = z.infer<typeof environmentSchema>;

/** The names of all variables. */
export const SETTINGS: readonly string[] = Object.keys(environmentSchema.shape);

/** The beginning of all addresses that clients are given. @throws Error */
function parsePublicUrl(text: string): string {
  const { protocol = '', search, hash, username, password } = URL.canParse(text) ? new URL(text) : {};
  const isWhole = search === '' && hash === '' && username === '' && password === '' && !/[?#]/.test(text);
  if (isWhole && /^https?:$/.test(protocol)) return text;
  throw new Error('expected an address such as https://bulk.example.com: http or https, without a user, ? or #');
}

/** @throws Error that names the first part that is no folder's path */
function parseFolders(text: string): readonly string[] {
  const parts = partsOf(text);
  const wrong = parts.find(
    (part) =>
      !part.startsWith('/') ||
      part.split('/').includes('..') ||
      /^[/.]+$/.test(part) ||
      /[{}]/.test(part.replaceAll('{account}', '')),
  );
  if (wrong === undefined) return parts;
  throw new Error(
    `expected folders such as /srv/feeds/{account}, separated by commas; each begins with /, is not the whole machine, and has no braces but those of {account}; got "${wrong}"`,
  );
}

/** @returns origins as browsers send them @throws Error that names the first part that is none */
function parseOrigins(text: string): readonly string[] {
  const parts = partsOf(text);
  const wrong = parts.find((part) => !isOrigin(part));
  if (wrong === undefined) return parts;
  throw new Error(
    `expected origins such as https://shop.example.com, separated by commas; each has its scheme, small letters, and no path, no default port and no *; got "${wrong}"`,
  );
}

function partsOf(list: string): readonly string[] {
  const parts = list.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
