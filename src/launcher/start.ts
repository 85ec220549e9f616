/** `npm start`: runs the whole system on this machine until it receives a signal. */
import { ConfigError } from '../config/config.js';
import { inheritedEnvironment, readLauncherConfig } from '../config/launcher-config.js';
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
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigError || error instanceof LaunchError;
  say(known ? error.message : String(error instanceof Error ? (error.stack ?? error) : error));
  process.exitCode = 1;
});
