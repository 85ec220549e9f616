/** What `npm start` reads from the environment: the processes' own configuration, and what to bring along where it is not set. */
import { loadConfig } from './config.js';

interface LauncherConfig {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** A person chose the folder: nothing of it may be put elsewhere. */
  readonly dataDirIsChosen: boolean;
  /** Undefined: run a Postgres of our own. */
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly runsUnderNpm: boolean;
  /** Everything that was set, for the processes to inherit. */
  readonly environment: Readonly<Record<string, string>>;
}

const DEFAULT_DATA_DIR = '.data';
/** Stands in for what the launcher makes, so that everything else is checked before anything is started. */
const STAND_INS = { DATABASE_URL: 'postgres://embedded/longshore', SECRETS_KEY: '-'.repeat(32) };

/**
 * Reads and checks the configuration of a whole installation.
 * @throws ConfigError naming each wrong variable; in production, also each that must be set
 */
export function readLauncherConfig(environment: Readonly<Record<string, string | undefined>>): LauncherConfig {
  const set = withoutBlanks(environment);
  const config = loadConfig(set.NODE_ENV === 'production' ? set : { ...STAND_INS, ...set });
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

/** What any program needs of this process's environment, without a developer's own settings of ours. */
export function plainEnvironment(): Record<string, string> {
  const needed = ['PATH', 'HOME', 'TMPDIR', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];
  return Object.fromEntries(Object.entries(withoutBlanks(process.env)).filter(([name]) => needed.includes(name)));
}

/** Set to nothing, it means something: no network is open. */
const MAY_BE_BLANK = 'WEBHOOK_ALLOWED_NETWORKS';

function withoutBlanks(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const isSet = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[1] !== undefined && (entry[1].trim() !== '' || entry[0] === MAY_BE_BLANK);
  return Object.fromEntries(Object.entries(environment).filter(isSet));
}
