/** Converts environment variables to one validated, frozen configuration object. */
import ipaddr from 'ipaddr.js';
import { type Environment, environmentSchema } from './environment.js';
import { missingOfProvider, type ProviderConfig, providerOf } from './provider-config.js';
import { requiredVariables, wrongPrefix } from './required-variables.js';
import { type StorageConfig, storageOf } from './storage-config.js';

interface WebhookConfig {
  /** Networks, as CIDR, in which targets may be although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** The wait before each attempt of a delivery, including the first. There are as many attempts as entries. */
  readonly scheduleMs: readonly number[];
  /** How long a breaker is open the first time. The time doubles with each failed probe. */
  readonly breakerOpenMs: number;
  /** The time limit of a request, from its first byte to the last byte of the answer. */
  readonly timeoutMs: number;
  /** How many requests to one endpoint all worker processes together have in flight. */
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
  /** Folders of this machine from which feeds may take files. `{account}` stands for the id of the account. */
  readonly feedFolders: readonly string[];
  /** What the server of a feed has to send in a second on average; 0: it may be as slow as it likes. */
  readonly feedLeastBytesPerSecond: number;
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
  readonly changeRetentionDays: number;
  /** How many announced files of an account may wait for their upload. */
  readonly openUploadsPerAccount: number;
  /** How long a held file waits after its upload until its client says how to import it. */
  readonly heldFileHours: number;
  /** How long a job waits for an approval. */
  readonly approvalHours: number;
  /** How long sessions of browsers are valid: since their last use, and since their beginning. */
  readonly sessions: { readonly idleHours: number; readonly days: number };
  /** Undefined: people log in by tokens and links only. */
  readonly provider: ProviderConfig | undefined;
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
  const missing = [...requiredVariables(env, production), ...wrongPrefix(env), ...missingOfProvider(env)];
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
    feedFolders: env.FEED_FOLDERS ?? [],
    feedLeastBytesPerSecond: env.FEED_LEAST_KB_PER_SECOND * 1000,
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
    changeRetentionDays: env.CHANGE_RETENTION_DAYS,
    openUploadsPerAccount: env.OPEN_UPLOADS_PER_ACCOUNT,
    heldFileHours: env.HELD_FILE_HOURS,
    approvalHours: env.APPROVAL_HOURS,
    sessions: { idleHours: env.SESSION_IDLE_HOURS, days: env.SESSION_DAYS },
    provider: providerOf(env),
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

/** A limit of progress that is longer than the limits of what a step waits for. */
function watchdogOf(env: Environment): number {
  const waits = [env.DATABASE_SILENCE_MS, env.STORAGE_TIMEOUT_MS, env.WEBHOOK_TIMEOUT_SECONDS * 1000];
  return env.WATCHDOG_MS === 0 ? 0 : Math.max(env.WATCHDOG_MS, 2 * Math.max(...waits));
}
