/** The check: format and lint, types, dead code, structure, tests. Every part runs: one run reports all errors. */
import { join } from 'node:path';
import { BootstrapError } from './bootstrap-error.mjs';
import { checkConsoleSize } from './console-size.mjs';
import { installAndBuild, REPOSITORY } from './install-and-build.mjs';
import { runProgram } from './run-program.mjs';
import { runSuite } from './run-suite.mjs';
import { checkStructure } from './structure.mjs';

/** @param args `--no-tests` leaves the tests out */
export async function runCheck(args) {
  const tests = !args.includes('--no-tests');
  const failed = [];
  const part = async (name, run) => {
    process.stderr.write(`\n— ${name}\n`);
    if ((await run()) !== 0) failed.push(name);
  };
  await part('packages and types', build);
  await part('format and lint', () => runTool('@biomejs/biome/bin/biome', ['ci', '.']));
  await part('dead code', () => runTool('knip/bin/knip.js', []));
  await part('code that only tests use', () => runTool('knip/bin/knip.js', ['--production']));
  const print = (line) => process.stdout.write(`${line}\n`);
  await part('structure', () => checkStructure(REPOSITORY, print));
  await part('size of the console', () => checkConsoleSize(REPOSITORY, print));
  if (tests && failed.length === 0) await part('tests', () => runSuite());
  process.stderr.write(failed.length === 0 ? '\nall good\n' : `\nfailed: ${failed.join(', ')}\n`);
  return failed.length === 0 ? 0 : 1;
}

async function build() {
  try {
    await installAndBuild();
    return 0;
  } catch (error) {
    // After a signal, the other parts would run on.
    if (!(error instanceof BootstrapError) || error.exitCode > 128) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

function runTool(path, args) {
  return runProgram(process.execPath, [join(REPOSITORY, 'node_modules', path), ...args]);
}
