/** Examines the variables of the environment, which may be wrong or misspelled. */
import { distance } from 'fastest-levenshtein';
import { loadAdminDatabaseUrl, loadAdminSecretsKeys } from '../../config/admin-config.js';
import { type Config, ConfigError, loadConfig } from '../../config/config.js';
import { SETTINGS } from '../../config/environment.js';
import { type Finding, messageOf } from './finding.js';

export type Environment = Readonly<Record<string, string | undefined>>;

interface Settings {
  /** Undefined: the database is not known, and nothing else can be examined. */
  readonly config: Config | undefined;
  readonly findings: Finding[];
}

/** Wrong variables are left out afterwards, so that one mistake does not hide the others. */
export function examineSettings(environment: Environment): Settings {
  const findings = misspelled(environment);
  let settings: Environment = environment;
  for (const [name, load] of [
    ['DATABASE_URL', () => loadAdminDatabaseUrl(environment)],
    ['SECRETS_KEY', () => loadAdminSecretsKeys(environment).join(',')],
  ] as const) {
    try {
      settings = { ...settings, [name]: load() };
    } catch (error) {
      findings.push(wrongSetting(name, messageOf(error)));
      settings = { ...settings, [name]: name === 'SECRETS_KEY' ? '-'.repeat(32) : undefined };
    }
  }
  // A second mistake of the same variable may only show when the first is gone.
  for (let round = 0; round < 3; round++) {
    try {
      const config = loadConfig(settings);
      if (findings.length === 0) findings.push({ check: 'settings', status: 'ok', found: 'all variables are valid' });
      return { config: Object.freeze({ ...config }), findings };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const line of error.message.split('\n')) {
        const [, name = '', problem = line] = /^([A-Z_]+): (.*)$/.exec(line) ?? [];
        if (!findings.some(({ found }) => found.startsWith(`${name}: `))) findings.push(wrongSetting(name, problem));
        settings = { ...settings, [name]: REPLACEMENTS[name] };
      }
      if (settings.DATABASE_URL === undefined) break;
    }
  }
  return { config: undefined, findings };
}

/** Instead of required variables that are wrong, so that the rest can be examined. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  SECRETS_KEY: '-'.repeat(32),
  PUBLIC_URL: 'http://localhost',
  STORAGE_SHARED: '1',
};

function wrongSetting(name: string, problem: string): Finding {
  return {
    check: 'settings',
    status: 'wrong',
    found: `${name}: ${problem}`,
    cure: `correct ${name} in the environment`,
  };
}

/** Names so short differ from others by chance. */
const SHORTEST_NAME = 7;
const MOST_TYPOS = 2;

/** Variables that have almost the name of one of ours. */
function misspelled(environment: Environment): Finding[] {
  const names = Object.keys(environment).filter((name) => name.length >= SHORTEST_NAME && !SETTINGS.includes(name));
  return names.flatMap((name) => {
    const meant = SETTINGS.find((known) => environment[known] === undefined && distance(known, name) <= MOST_TYPOS);
    if (meant === undefined || meant.length < SHORTEST_NAME) return [];
    const found = `${name} is set, which Longshore does not read, and ${meant} is not`;
    return [
      { check: 'settings', status: 'warning' as const, found, cure: `rename ${name} to ${meant} if that is meant` },
    ];
  });
}
