/** `npm start`: runs the whole system on this machine until it receives a signal. */
import { join, resolve } from 'node:path';
import { ConfigError } from '../config/config.js';
import { inheritedEnvironment, readLauncherConfig } from '../config/launcher-config.js';
import { LOGIN_LINK_MINUTES } from '../domain/access/login-codes.js';
import { consoleLinkOf } from './console-link.js';
import { LaunchError } from './launch-error.js';
import { stopOnSignals } from './stop-on-signals.js';
import { System } from './system.js';

/** Writes to standard error, because standard output contains only the line for which tools wait. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<void> {
  const { dataDirIsChosen, runsUnderNpm, environment, ...config } = readLauncherConfig(inheritedEnvironment());
  const system = new System({ ...config, mayMove: !dataDirIsChosen, inherit: environment, say });
  stopOnSignals(system, { say, runsUnderNpm });
  await system.start();
  process.stdout.write(`ready ${system.baseUrl}\n`);
  const { baseUrl, databaseUrl, credentials } = system;
  const consoleLink = await consoleLinkOf(
    databaseUrl,
    credentials.token,
    (environment.PUBLIC_URL ?? baseUrl).replace(/\/+$/, ''),
  );
  say(whereToGo(baseUrl, config.dataDir, dataDirIsChosen, consoleLink));
}

/** The first command of the guide. It needs nothing but the running system. */
const FIRST_COMMAND = 'npm run longshore -- import examples/first-import/attributes.csv --type attributes';

/** What a person needs who sees "ready" for the first time. */
function whereToGo(baseUrl: string, dataDir: string, isChosen: boolean, consoleLink: string): string {
  // In another terminal, the command line finds the credentials in a chosen folder only by this variable.
  const ofDataDir = isChosen ? `DATA_DIR=${typed(resolve(dataDir))} ` : '';
  return [
    '',
    `  console      ${consoleLink} (logs in once, within ${LOGIN_LINK_MINUTES} minutes)`,
    `  guide        ${baseUrl}/guide`,
    `  API          ${baseUrl}/docs`,
    `  operators    ${baseUrl}/admin (the password is the operatorToken of the credentials, with any user name)`,
    `  credentials  ${join(dataDir, 'credentials.json')}`,
    `  next         ${ofDataDir}${FIRST_COMMAND} (in another terminal)`,
    '',
    'Ctrl-C stops everything. The data stay for the next start.',
  ].join('\n');
}

/** A path as it is typed to a shell. */
function typed(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigError || error instanceof LaunchError;
  say(known ? error.message : String(error instanceof Error ? (error.stack ?? error) : error));
  process.exitCode = 1;
});
