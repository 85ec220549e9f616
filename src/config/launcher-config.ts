/** What `npm start` reads from the environment: the configuration of its processes, and what it must provide. */
import { loadConfig } from './config.js';

interface LauncherConfig {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Whether DATA_DIR was set. Then no data may be stored anywhere else. */
  readonly dataDirIsChosen: boolean;
  /** Undefined: run an embedded Postgres. */
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly runsUnderNpm: boolean;
  /** All variables that are set; the processes inherit them. */
  readonly environment: Readonly<Record<string, string>>;
}

const DEFAULT_DATA_DIR = '.data';
/** Placeholders for what the launcher creates, so that everything else is checked before anything is started. */
const PLACEHOLDERS = { DATABASE_URL: 'postgres://embedded/longshore', SECRETS_KEY: '-'.repeat(32) };

/**
 * Reads and checks the configuration of a whole installation.
 * @throws ConfigError that names each wrong variable, and in production also each missing one
 */
export function readLauncherConfig(environment: Readonly<Record<string, string | undefined>>): LauncherConfig {
  const set = withoutBlanks(environment);
  const config = loadConfig(set.NODE_ENV === 'production' ? set : { ...PLACEHOLDERS, ...set });
  return {
    host: config.host,
    port: config.port,
    dataDir: set.DATA_DIR ?? DEFAULT_DATA_DIR,
    dataDirIsChosen: set.DATA_DIR !== undefined,
    databaseUrl: set.DATABASE_URL,
    redisUrl: config.redisUrl,
    runsUnderNpm: set.npm_lifecycle_event !== undefined,
    environment: set,
  };
}

/** The environment of this process. */
export function inheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The variables that any program needs, without a developer's own settings for Longshore. */
export function plainEnvironment(): Record<string, string> {
  const needed = ['PATH', 'HOME', 'TMPDIR', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];
  return Object.fromEntries(Object.entries(withoutBlanks(process.env)).filter(([name]) => needed.includes(name)));
}

/** These variables have a meaning when they are empty: no network is allowed, and there is no proxy. */
const MAY_BE_BLANK = new Set(['WEBHOOK_ALLOWED_NETWORKS', 'TRUSTED_PROXIES']);

function withoutBlanks(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const isSet = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[1] !== undefined && (entry[1].trim() !== '' || MAY_BE_BLANK.has(entry[0]));
  return Object.fromEntries(Object.entries(environment).filter(isSet));
}
