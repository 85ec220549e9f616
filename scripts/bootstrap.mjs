/** Runs a command of this repository in a fresh clone: installs and builds first if necessary. It needs only Node. */
import { fileURLToPath } from 'node:url';
import { benchMistake } from './bench-arguments.mjs';
import { runCheck } from './check.mjs';
import { installAndBuild, REPOSITORY } from './install-and-build.mjs';
import { mochaArguments } from './mocha-arguments.mjs';
import { requireNode } from './require-node.mjs';
import { runConfigured } from './run-configured.mjs';
import { runProgram } from './run-program.mjs';
import { runSuite } from './run-suite.mjs';
import { START_HELP, startMistake } from './start-help.mjs';
import { withTemporaryFolder } from './temporary-folder.mjs';

const USAGE =
  'usage: node scripts/bootstrap.mjs demo | start | test | test:long | check | bench | chaos | admin | longshore [-- arguments]';

/** Programs that run in this process, so that signals and exit codes need not be passed on. */
const PROGRAMS = {
  start: 'dist/app/launcher/start.js',
  demo: 'dist/app/demo/main.js',
  bench: 'dist/bench/main.js',
  chaos: 'dist/test/chaos/main.js',
  admin: 'dist/app/admin/main.js',
  longshore: 'packages/cli/dist/main.js',
};
/** Where the user is: npm itself changes to the folder of package.json. The command line reads and writes files there. */
const CALLED_FROM = process.env.INIT_CWD ?? process.cwd();

const COMMANDS = {
  test: (args) => {
    if (args[0] === '--configured') return runConfigured(args.slice(1), runMocha);
    return args.length === 0 ? runSuite() : runMocha(mochaArguments('test', args));
  },
  'test:long': (args) => runMocha(mochaArguments('test:long', args)),
  check: (args) => runCheck(args),
};

async function main([command, ...rest]) {
  const args = rest[0] === '--' ? rest.slice(1) : rest;
  process.chdir(REPOSITORY);
  requireNode('20.19.0');
  if (command === 'start' && args.length > 0) {
    answerStart(args);
  } else if (command === 'bench' && benchMistake(args) !== null) {
    process.stderr.write(`${benchMistake(args)}\n`);
    process.exitCode = 2;
  } else if (command in PROGRAMS) {
    await installAndBuild();
    if (command === 'longshore') process.chdir(CALLED_FROM);
    await runInThisProcess(PROGRAMS[command], args);
  } else if (command in COMMANDS) {
    // The check builds itself and reports a failed build as one of its parts.
    if (command !== 'check') await installAndBuild();
    process.exitCode = await withTemporaryFolder(() => COMMANDS[command](args));
  } else {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
  }
}

/** `npm start` has no arguments, so whatever is given starts nothing and installs nothing. */
function answerStart(args) {
  const mistake = startMistake(args);
  if (mistake === null) process.stdout.write(START_HELP);
  else process.stderr.write(`${mistake}\n`);
  process.exitCode = mistake === null ? 0 : 2;
}

async function runInThisProcess(program, args) {
  const path = `${REPOSITORY}/${program}`;
  process.setSourceMapsEnabled(true);
  process.argv = [process.argv[0], path, ...args];
  await import(path);
}

function runMocha(args) {
  return runProgram(process.execPath, [fileURLToPath(import.meta.resolve('mocha/bin/mocha.js')), ...args]);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error?.name === 'BootstrapError' ? error.message : (error?.stack ?? error)}\n`);
  process.exitCode = error?.exitCode ?? 1;
}
