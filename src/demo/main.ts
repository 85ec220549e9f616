/** `npm run demo`: starts the system and imports a sample catalog. It keeps running, unless `-- --exit` is given. */
import { join, resolve } from 'node:path';
import { LongshoreError } from '@longshore/client';
import { ConfigError } from '../config/config.js';
import { inheritedEnvironment, readLauncherConfig } from '../config/launcher-config.js';
import { consoleLinkOf } from '../launcher/console-link.js';
import { LaunchError } from '../launcher/launch-error.js';
import { stopOnSignals } from '../launcher/stop-on-signals.js';
import { System } from '../launcher/system.js';
import { Mismatch } from './expect-equal.js';
import { runScenario } from './scenario.js';
import { createScreen, type Screen } from './screen.js';

const USAGE = 'usage: npm run demo [-- --exit]';
/** Errors whose message is shown without a stack, because it is a sentence for the person who runs the demo. */
const SHOWN_IN_A_SENTENCE = [ConfigError, LaunchError, Mismatch, LongshoreError];

/** Allows webhooks to call this machine, whatever is configured, because the demo's receiver listens there. */
const OPEN_TO_RECEIVER = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

let stopping = false;

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Remembers that the system is being stopped, because errors after that are a consequence. */
function sayStopping(line: string): void {
  stopping = true;
  say(line);
}

async function main(args: readonly string[]): Promise<void> {
  if (args.some((argument) => argument !== '--exit')) {
    say(USAGE);
    process.exitCode = 2;
    return;
  }
  const { dataDirIsChosen, runsUnderNpm, environment, ...config } = readLauncherConfig(inheritedEnvironment());
  const system = new System({ ...config, mayMove: !dataDirIsChosen, inherit: environment, env: OPEN_TO_RECEIVER, say });
  stopOnSignals(system, { say: sayStopping, runsUnderNpm });
  const screen = createScreen(process.stdout);
  await system.start();
  try {
    const stage = await runScenario(system.credentials, screen);
    const { databaseUrl, credentials, baseUrl } = system;
    const consoleLink = await consoleLinkOf(databaseUrl, credentials.token, environment.PUBLIC_URL ?? baseUrl);
    showAddresses(system, config.dataDir, stage, consoleLink, screen);
  } catch (error) {
    if (!stopping) await endAfter(system, error);
    return;
  }
  if (!args.includes('--exit')) return screen.line('The system keeps running. Press Ctrl-C to stop it.');
  await system.stop();
}

function showAddresses({ baseUrl }: System, dataDir: string, stage: string, consoleLink: string, screen: Screen): void {
  const credentials = resolve(join(dataDir, 'credentials.json'));
  screen.line();
  screen.table([
    ['Console', consoleLink, 'logs in once'],
    ['API', baseUrl, `stage ${stage}`],
    ['Docs', `${baseUrl}/docs`],
    ['Operators', `${baseUrl}/admin`, 'any user name; the password is the operatorToken'],
    ['Credentials', credentials],
  ]);
}

async function endAfter(system: System, error: unknown): Promise<void> {
  report(error);
  process.exitCode = 1;
  await system.stop();
}

function report(error: unknown): void {
  const known = SHOWN_IN_A_SENTENCE.some((type) => error instanceof type);
  say(known ? (error as Error).message : String(error instanceof Error ? (error.stack ?? error) : error));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (stopping) return;
  report(error);
  process.exitCode = 1;
});
