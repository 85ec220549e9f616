/** Converts environment variables to one validated, frozen configuration object. Nothing else reads process.env. */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { parseOrigins } from './cors-origins.js';
import { hasHashTag, parseRedisUrl } from './redis-url.js';

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

/** What a function makes of the text. */
function parsedBy<T>(parse: (text: string) => T) {
  return optionalText.transform((text, context) => {
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
}
/** The text of a file that the variable names. */
const fileText = optionalText.transform((path, context) => {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read';
    context.addIssue({ code: 'custom', message: `expected a file that this user can read, got "${path}" (${why})` });
    return z.NEVER;
  }
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

/** One of a few values, which the OpenTelemetry SDK reads as well. */
function onlyOf(...values: readonly string[]) {
  return optionalText.transform((text, context) => {
    if (text === undefined || values.includes(text)) return text;
    context.addIssue({ code: 'custom', message: `expected ${values.join(' or ')}, got "${text}"` });
    return z.NEVER;
  });
}

const environmentSchema = z.object({
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
  PUBLIC_URL: url('http', 'https'),
  PORT: integer(3000, 0, 65_535),
  METRICS_PORT: optionalText.transform((text, context) => {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
    context.addIssue({ code: 'custom', message: `expected a port from 0 to 65535, got "${text}"` });
    return z.NEVER;
  }),
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
  WATCHDOG_MS: integer(600_000, 0, 86_400_000),
  LOCK_WAIT_MS: integer(5_000, 100, 600_000),
  BODY_BUDGET_MB: integer(64, 1, 4096),
  TRUSTED_PROXIES: networks,
  CORS_ORIGINS: parsedBy(parseOrigins),
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
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('http', 'https'),
  OTEL_EXPORTER_OTLP_PROTOCOL: onlyOf('http/json'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: onlyOf('http/json'),
  OTEL_TRACES_EXPORTER: onlyOf('otlp', 'none'),
  OTEL_SDK_DISABLED: flag,
});

type Environment = z.infer<typeof environmentSchema>;

/** The names of all variables. */
export const SETTINGS: readonly string[] = Object.keys(environmentSchema.shape);

/** Where uploads, spools and error files are stored. */
export interface StorageConfig {
  /** A local folder: of the files, or of scratch files where the files are in S3. */
  readonly directory: string;
  /** Undefined: the files are in the folder. */
  readonly s3: S3Location | undefined;
  /** How long it may take to answer. */
  readonly timeoutMs: number;
}

/** Where the files are, as STORAGE_URL says. Its credentials are not part of it: the SDK finds them. */
export interface S3Location {
  readonly bucket: string;
  /** What each key begins with, with a slash at its end; or empty. */
  readonly prefix: string;
  /** Undefined: that of AWS, or of AWS_ENDPOINT_URL. */
  readonly endpoint: string | undefined;
  /** The address of the same store for clients of the API. */
  readonly publicEndpoint: string | undefined;
  /** Undefined: the SDK finds it. */
  readonly region: string | undefined;
  /** Whether the bucket is named in the path, instead of in the host. */
  readonly pathStyle: boolean;
  /** Whether clients upload and download by URLs of the store, instead of the API's. */
  readonly direct: boolean;
  /** The size of the first parts of a file that is uploaded in parts. */
  readonly partBytes: number;
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
  /** A process whose work makes no progress for so long, while the database answers, ends itself. 0: never. */
  readonly watchdogMs: number;
  /** How long a statement of a request may run. */
  readonly statementTimeoutMs: number;
  /** How long a request waits for locks of other transactions. */
  readonly lockWaitMs: number;
  /** Undefined: the queues are in the same Postgres. */
  readonly redisUrl: string | undefined;
  /** How the certificates of Redis are checked, where REDIS_URL asks for TLS. */
  readonly redisTls: {
    /** Certificates, PEM, of the authority that is trusted in place of the public ones. */
    readonly ca: string | undefined;
    readonly rejectUnauthorized: boolean;
  };
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
  /** Where /metrics is answered without a token. Undefined: nowhere. */
  readonly metricsPort: number | undefined;
  readonly logLevel: string;
  readonly bodyBudgetBytes: number;
  /** Networks, as CIDR, of the proxies whose X-Forwarded-For is believed. Undefined: it is not known which exist. */
  readonly trustedProxies: readonly string[] | undefined;
  /** The origins whose pages may call the API from a browser. */
  readonly corsOrigins: readonly string[];
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
  /** Whether spans are sent to a collector, which the OTEL_ variables describe. */
  readonly isTraced: boolean;
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
  const missing = [...requiredVariables(env, production), ...withoutHashTag(env)];
  if (missing.length > 0) throw new ConfigError(missing.join('\n'));
  return Object.freeze({
    production,
    databaseUrl: env.DATABASE_URL ?? '',
    databasePoolMax: env.DATABASE_POOL_MAX,
    databaseSilenceMs: env.DATABASE_SILENCE_MS,
    preparesStatements: env.PREPARED_STATEMENTS,
    statementTimeoutMs: env.STATEMENT_TIMEOUT_MS,
    watchdogMs: watchdogOf(env),
    lockWaitMs: env.LOCK_WAIT_MS,
    redisUrl: env.REDIS_URL,
    redisTls: { ca: env.REDIS_CA_FILE, rejectUnauthorized: env.REDIS_TLS_VERIFY },
    queuePrefix: env.QUEUE_PREFIX ?? (env.REDIS_URL === undefined ? 'bullmq' : '{longshore}'),
    storage: storageOf(env),
    secretsKeys: (env.SECRETS_KEY ?? '')
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== ''),
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    port: env.PORT,
    metricsPort: env.METRICS_PORT,
    host: env.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    logLevel: env.LOG_LEVEL,
    bodyBudgetBytes: env.BODY_BUDGET_MB * MEBIBYTE,
    trustedProxies: env.TRUSTED_PROXIES,
    corsOrigins: env.CORS_ORIGINS ?? [],
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
    isTraced: isTraced(env),
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

function isTraced(env: Environment): boolean {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint !== undefined && env.OTEL_TRACES_EXPORTER !== 'none' && !env.OTEL_SDK_DISABLED;
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
  if (env.STORAGE_URL?.startsWith('s3:') === true) missing.push(...wrongS3(new URL(env.STORAGE_URL)));
  else if (production && !env.STORAGE_SHARED) {
    missing.push(
      'STORAGE_SHARED: files are stored in a folder that all processes must share; set STORAGE_SHARED=1 if they do, or STORAGE_URL=s3://…',
    );
  }
  return missing;
}

/** A limit of progress that is longer than the limits of what a step waits for. */
function watchdogOf(env: Environment): number {
  const waits = [env.DATABASE_SILENCE_MS, env.STORAGE_TIMEOUT_MS, env.WEBHOOK_TIMEOUT_SECONDS * 1000];
  return env.WATCHDOG_MS === 0 ? 0 : Math.max(env.WATCHDOG_MS, 2 * Math.max(...waits));
}

/** BullMQ's scripts use several keys at once, and a Cluster executes them only if all are in one slot. */
function withoutHashTag({ REDIS_URL, QUEUE_PREFIX }: Environment): string[] {
  if (REDIS_URL === undefined || QUEUE_PREFIX === undefined || hasHashTag(QUEUE_PREFIX)) return [];
  if (parseRedisUrl(REDIS_URL).kind !== 'cluster') return [];
  return [`QUEUE_PREFIX: on a Redis Cluster it needs a hash tag: set it to {${QUEUE_PREFIX.replace(/[{}]/g, '')}}`];
}

function storageOf(env: Environment): StorageConfig {
  const timeoutMs = env.STORAGE_TIMEOUT_MS;
  if (env.STORAGE_URL === undefined) return { directory: `${env.DATA_DIR ?? '.data'}/files`, s3: undefined, timeoutMs };
  const address = new URL(env.STORAGE_URL);
  if (address.protocol === 's3:') return { directory: tmpdir(), s3: s3Location(address, env), timeoutMs };
  return { directory: decodeURIComponent(address.pathname), s3: undefined, timeoutMs };
}

const S3_PARAMETERS = ['endpoint', 'publicEndpoint', 'region', 'pathStyle', 'direct', 'partKiB'];
/** The least that S3 accepts is 5 MiB. */
const PART_KIB = 8 * 1024;
const MOST_PART_KIB = 1024 * 1024;

function s3Location(address: URL, { AWS_REGION, AWS_DEFAULT_REGION }: Environment): S3Location {
  const { hostname: bucket, pathname, searchParams: parameters } = address;
  const folders = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '');
  const endpoint = parameters.get('endpoint') ?? undefined;
  // The stores of others accept any region, and AWS has one that is right for a bucket.
  const anyRegion = endpoint === undefined ? undefined : 'us-east-1';
  return {
    bucket,
    prefix: folders === '' ? '' : `${folders}/`,
    endpoint,
    publicEndpoint: parameters.get('publicEndpoint') ?? undefined,
    region: parameters.get('region') ?? AWS_REGION ?? AWS_DEFAULT_REGION ?? anyRegion,
    pathStyle: (parameters.get('pathStyle') ?? String(endpoint !== undefined)) === 'true',
    direct: parameters.get('direct') !== 'false',
    partBytes: Number(parameters.get('partKiB') ?? PART_KIB) * 1024,
  };
}

/** What is wrong with the address. Its messages do not repeat it: it may hold a secret that does not belong there. */
function wrongS3({ hostname, username, password, searchParams: parameters }: URL): string[] {
  const wrong: string[] = [];
  if (hostname === '') wrong.push('STORAGE_URL: names no bucket; expected s3://bucket/prefix');
  if (username !== '' || password !== '') {
    wrong.push('STORAGE_URL: holds credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
  }
  if ([...parameters.keys()].some((name) => !S3_PARAMETERS.includes(name))) {
    wrong.push(`STORAGE_URL: has an unknown parameter; there are ${S3_PARAMETERS.join(', ')}`);
  }
  for (const name of ['endpoint', 'publicEndpoint']) {
    const given = parameters.get(name);
    if (given !== null && !/^https?:\/\/[^/@]+\/?$/.test(given)) {
      wrong.push(`STORAGE_URL: expected ${name}=https://host or http://host:port`);
    }
  }
  for (const name of ['pathStyle', 'direct']) {
    if (!['true', 'false', null].includes(parameters.get(name)))
      wrong.push(`STORAGE_URL: expected ${name}=true or false`);
  }
  const partKiB = parameters.get('partKiB') ?? String(PART_KIB);
  if (!/^[1-9]\d{0,6}$/.test(partKiB) || Number(partKiB) > MOST_PART_KIB) {
    wrong.push(`STORAGE_URL: expected partKiB as a whole number from 1 to ${MOST_PART_KIB}`);
  }
  return wrong;
}
