/** Converts environment variables to one validated, frozen configuration object. Nothing else reads process.env. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** A variable that is set but empty counts as not set, because many deploy tools set variables to nothing. */
const optionalText = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text.trim() === '' ? undefined : text.trim()));
const integer = (fallback: number, min: number, max: number) =>
  optionalText.transform((text, context) => {
    if (text === undefined) return fallback;
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    context.addIssue({ code: 'custom', message: `expected a whole number from ${min} to ${max}, got "${text}"` });
    return z.NEVER;
  });
const flagOr = (absent: boolean) =>
  optionalText.transform((text, context) => {
    if (text === undefined) return absent;
    if (/^(1|true|yes)$/i.test(text)) return true;
    if (/^(0|false|no)$/i.test(text)) return false;
    context.addIssue({ code: 'custom', message: `expected true or false, got "${text}"` });
    return z.NEVER;
  });
const flag = flagOr(false);
const url = (...protocols: string[]) =>
  optionalText.transform((text, context) => {
    if (text === undefined) return undefined;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1))) return text;
    context.addIssue({ code: 'custom', message: `expected a URL that begins with ${protocols.join(':// or ')}://` });
    return z.NEVER;
  });

const DAY_SECONDS = 86_400;
const MAX_PAUSE_SECONDS = 30 * DAY_SECONDS;

/** Undefined: not set. Unlike for other variables, an empty text means an empty list. */
const networks = z
  .string()
  .optional()
  .transform((text, context) => {
    const parts = text?.split(',').map((part) => part.trim());
    return parts
      ?.filter((part) => part !== '')
      .map((part) => {
        const network = part.includes('/') ? part : `${part}/${part.includes(':') ? 128 : 32}`;
        if (ipaddr.isValidCIDR(network)) return network;
        context.addIssue({
          code: 'custom',
          message: `expected networks such as 10.1.0.0/16 or ::1, separated by commas, got "${part}"`,
        });
        return z.NEVER;
      });
  });

/** Seconds before each attempt, including the first. */
const seconds = optionalText.transform((text, context) => {
  const values = text?.split(',').map(Number);
  if (values === undefined || values.every((value) => value >= 0 && value <= MAX_PAUSE_SECONDS)) return values;
  context.addIssue({
    code: 'custom',
    message: `expected the seconds before each attempt, separated by commas, such as 0,5,300, got "${text}"`,
  });
  return z.NEVER;
});

const environmentSchema = z.object({
  NODE_ENV: optionalText,
  DATABASE_URL: url('postgres', 'postgresql'),
  REDIS_URL: url('redis', 'rediss'),
  STORAGE_URL: url('file'),
  STORAGE_SHARED: flag,
  SECRETS_KEY: optionalText,
  PUBLIC_URL: url('http', 'https'),
  PORT: integer(3000, 0, 65_535),
  HOST: optionalText,
  DATA_DIR: optionalText,
  LOG_LEVEL: optionalText.transform((text, context) => {
    const level = text ?? 'info';
    if (/^(trace|debug|info|warn|error|fatal|silent)$/.test(level)) return level;
    context.addIssue({
      code: 'custom',
      message: `expected trace, debug, info, warn, error, fatal or silent, got "${level}"`,
    });
    return z.NEVER;
  }),
  QUEUE_PREFIX: optionalText,
  DATABASE_POOL_MAX: integer(10, 2, 200),
  DATABASE_SILENCE_MS: integer(5_000, 1_000, 600_000),
  PREPARED_STATEMENTS: flagOr(true),
  STATEMENT_TIMEOUT_MS: integer(60_000, 1_000, 3_600_000),
  LOCK_WAIT_MS: integer(5_000, 100, 600_000),
  BODY_BUDGET_MB: integer(64, 1, 4096),
  TRUSTED_PROXIES: networks,
  CONNECTIONS_PER_ADDRESS: integer(2_000, 1, 1_000_000),
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
  IMPORT_READER: optionalText.transform((text, context) => {
    const reader = text ?? 'fast';
    if (reader === 'fast' || reader === 'plain') return reader;
    context.addIssue({ code: 'custom', message: `expected fast or plain, got "${reader}"` });
    return z.NEVER;
  }),
  WORKER_LOCK_MS: integer(30_000, 500, 600_000),
  WORKER_STALLED_MS: integer(15_000, 250, 600_000),
  SHUTDOWN_GRACE_MS: integer(20_000, 0, 120_000),
  RECONCILE_MS: integer(1_000, 50, 60_000),
  RECONCILE_GRACE_MS: integer(5_000, 100, 600_000),
  JOB_RETENTION_DAYS: integer(30, 1, 3650),
  AUDIT_RETENTION_DAYS: integer(365, 2, 36_500),
  OPEN_UPLOADS_PER_ACCOUNT: integer(1_000, 1, 1_000_000),
  UPLOAD_URL_MINUTES: integer(15, 1, 1440),
  DASHBOARD_WRITABLE: flag,
  WEBHOOK_ALLOWED_NETWORKS: networks,
  WEBHOOK_SCHEDULE_SECONDS: seconds,
  WEBHOOK_BREAKER_SECONDS: integer(30, 1, 3600),
  WEBHOOK_TIMEOUT_SECONDS: integer(15, 1, 120),
  WEBHOOK_ENDPOINT_CONCURRENCY: integer(5, 1, 1000),
  WEBHOOK_RETENTION_DAYS: integer(30, 1, 3650),
});

type Environment = z.infer<typeof environmentSchema>;

/** Where uploads, spools and error files are stored. */
interface StorageConfig {
  readonly kind: 'local';
  readonly directory: string;
  /** How long it may take to answer. */
  readonly timeoutMs: number;
}

interface WebhookConfig {
  /** Networks, as CIDR, in which targets may be although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** The wait before each attempt of a delivery, including the first. There are as many attempts as entries. */
  readonly scheduleMs: readonly number[];
  /** How long a breaker is open the first time. The time doubles with each failed probe. */
  readonly breakerOpenMs: number;
  /** The time limit of a request, from its first byte to the last byte of the answer. */
  readonly timeoutMs: number;
  /** How many requests to one endpoint a process has in flight. */
  readonly endpointConcurrency: number;
  /** How many deliveries a process has in flight, in each of the two queues (first attempts; retries). */
  readonly deliveryConcurrency: number;
  /** How long events and their deliveries are kept. */
  readonly retentionDays: number;
}

export interface Config {
  readonly production: boolean;
  readonly databaseUrl: string;
  readonly databasePoolMax: number;
  /** A connection to Postgres that is silent for so long is checked, and destroyed if it is lost. */
  readonly databaseSilenceMs: number;
  /** Off behind a pooler that shares connections between transactions. */
  readonly preparesStatements: boolean;
  /** How long a statement of a request may run. */
  readonly statementTimeoutMs: number;
  /** How long a request waits for locks of other transactions. */
  readonly lockWaitMs: number;
  /** Undefined: the queues are in the same Postgres. */
  readonly redisUrl: string | undefined;
  /** Namespace of the queues: the Redis key prefix, or the Postgres schema. */
  readonly queuePrefix: string;
  readonly storage: StorageConfig;
  /** Files are refused when the store would have less free space than this: accepted work needs it. */
  readonly storageReserveBytes: number;
  /** Readiness is degraded when a step that is due has waited for longer. */
  readonly stepWaitLimitMs: number;
  /** The newest first: the first key signs and encrypts, all keys verify and decrypt. */
  readonly secretsKeys: readonly string[];
  /** Undefined: signed URLs begin with the address on which the API listens. */
  readonly publicUrl: string | undefined;
  readonly port: number;
  readonly host: string;
  readonly logLevel: string;
  readonly bodyBudgetBytes: number;
  /** Networks, as CIDR, of the proxies whose X-Forwarded-For is believed. Undefined: it is not known which exist. */
  readonly trustedProxies: readonly string[] | undefined;
  readonly connectionsPerAddress: number;
  readonly uploadMaxBytes: number;
  readonly uploadIdleMs: number;
  readonly uploadUrlMs: number;
  readonly planConcurrency: number;
  readonly chunkConcurrency: number;
  readonly exportConcurrency: number;
  /** The largest number of rows in a chunk of a file. */
  readonly chunkRows: number;
  /** How rows of items are read: `fast` reads most values as bytes, `plain` is slower and has the same result. */
  readonly importReader: 'plain' | 'fast';
  readonly lockMs: number;
  readonly stalledMs: number;
  readonly shutdownGraceMs: number;
  readonly reconcileMs: number;
  readonly reconcileGraceMs: number;
  readonly jobRetentionDays: number;
  readonly auditRetentionDays: number;
  /** How many announced files of an account may wait for their upload. */
  readonly openUploadsPerAccount: number;
  readonly dashboardWritable: boolean;
  readonly webhooks: WebhookConfig;
}

/** The configuration is wrong. The message has one sentence for each variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Allowed outside production and only while the API itself is reached from this machine alone, so that receivers of webhooks can run on the same machine. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

const HOUR_SECONDS = 3_600;
/** Ten attempts over about three days. */
const DEFAULT_SCHEDULE_SECONDS = [0, 5, 300, 1_800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_SECONDS)];

const MEBIBYTE = 1024 * 1024;

/**
 * Reads the configuration from environment variables.
 * @throws ConfigError that names each wrong variable and what was expected
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  }
  const env = parsed.data;
  const production = env.NODE_ENV === 'production';
  const missing = requiredVariables(env, production);
  if (missing.length > 0) throw new ConfigError(missing.join('\n'));
  return Object.freeze({
    production,
    databaseUrl: env.DATABASE_URL ?? '',
    databasePoolMax: env.DATABASE_POOL_MAX,
    databaseSilenceMs: env.DATABASE_SILENCE_MS,
    preparesStatements: env.PREPARED_STATEMENTS,
    statementTimeoutMs: env.STATEMENT_TIMEOUT_MS,
    lockWaitMs: env.LOCK_WAIT_MS,
    redisUrl: env.REDIS_URL,
    queuePrefix: env.QUEUE_PREFIX ?? (env.REDIS_URL === undefined ? 'bullmq' : '{longshore}'),
    storage: { kind: 'local', directory: storageDirectory(env), timeoutMs: env.STORAGE_TIMEOUT_MS },
    secretsKeys: (env.SECRETS_KEY ?? '')
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== ''),
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    port: env.PORT,
    host: env.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    logLevel: env.LOG_LEVEL,
    bodyBudgetBytes: env.BODY_BUDGET_MB * MEBIBYTE,
    trustedProxies: env.TRUSTED_PROXIES,
    connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
    storageReserveBytes: env.STORAGE_RESERVE_MB * MEBIBYTE,
    stepWaitLimitMs: env.STEP_WAIT_LIMIT_SECONDS * 1000,
    uploadMaxBytes: env.UPLOAD_MAX_MB * MEBIBYTE,
    uploadIdleMs: env.UPLOAD_IDLE_SECONDS * 1000,
    uploadUrlMs: env.UPLOAD_URL_MINUTES * 60_000,
    planConcurrency: env.WORKER_PLAN_CONCURRENCY,
    chunkConcurrency: env.WORKER_CHUNK_CONCURRENCY,
    exportConcurrency: env.WORKER_EXPORTS,
    chunkRows: env.WORKER_CHUNK_ROWS,
    importReader: env.IMPORT_READER,
    lockMs: env.WORKER_LOCK_MS,
    stalledMs: env.WORKER_STALLED_MS,
    shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
    reconcileMs: env.RECONCILE_MS,
    reconcileGraceMs: env.RECONCILE_GRACE_MS,
    jobRetentionDays: env.JOB_RETENTION_DAYS,
    auditRetentionDays: env.AUDIT_RETENTION_DAYS,
    openUploadsPerAccount: env.OPEN_UPLOADS_PER_ACCOUNT,
    dashboardWritable: env.DASHBOARD_WRITABLE,
    webhooks: {
      allowedNetworks: env.WEBHOOK_ALLOWED_NETWORKS ?? (!production && isLoopback(env.HOST) ? LOOPBACK : []),
      scheduleMs: (env.WEBHOOK_SCHEDULE_SECONDS ?? DEFAULT_SCHEDULE_SECONDS).map((value) => value * 1000),
      breakerOpenMs: env.WEBHOOK_BREAKER_SECONDS * 1000,
      timeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1000,
      endpointConcurrency: env.WEBHOOK_ENDPOINT_CONCURRENCY,
      deliveryConcurrency: env.WORKER_DELIVERY_CONCURRENCY,
      retentionDays: env.WEBHOOK_RETENTION_DAYS,
    },
  } satisfies Config);
}

/** Whether only this machine reaches the address on which the API listens. @param host undefined: the default */
function isLoopback(host: string | undefined): boolean {
  if (host === undefined || host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

function requiredVariables(env: Environment, production: boolean): string[] {
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
  if (production && !env.STORAGE_SHARED) {
    missing.push(
      'STORAGE_SHARED: files are stored in a folder that all processes must share; set STORAGE_SHARED=1 if they do',
    );
  }
  return missing;
}

function storageDirectory(env: Environment): string {
  if (env.STORAGE_URL !== undefined) return decodeURIComponent(new URL(env.STORAGE_URL).pathname);
  return `${env.DATA_DIR ?? '.data'}/files`;
}
