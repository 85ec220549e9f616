/**
 * One of the processes of run-suite.mjs: runs the files of tests that it is given one after another, as mocha's command
 * does, and with the same settings. When a file is done it writes a line with END_OF_FILE, and is given the next.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Mocha from 'mocha';
import { END_OF_FILE } from './run-suite.mjs';

/** The settings of the folder; none outside of the repository. */
function readSettings() {
  try {
    return JSON.parse(readFileSync('.mocharc.json', 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

async function runPart() {
  const { require: setup = [], ...settings } = readSettings();
  const modules = await Promise.all(setup.map((path) => import(pathToFileURL(resolve(path)).href)));
  const hooks = modules.flatMap(({ mochaHooks }) => mochaHooks ?? []);
  const teardowns = modules.flatMap(({ mochaGlobalTeardown }) => mochaGlobalTeardown ?? []);
  const color = process.argv.includes('--colors');
  let failures = 0;
  for await (const file of files()) {
    failures += await runFile(file, { ...settings, color }, hooks);
    process.stdout.write(`${END_OF_FILE}\n`);
  }
  for (const teardown of teardowns) await teardown();
  process.on('exit', () => {
    if (failures > 0) process.exitCode = 1;
  });
}

/** The files as they are given, until there is no further one. */
async function* files() {
  for (;;) {
    const next = new Promise((resolve) => process.once('message', resolve));
    process.send('next');
    const { file } = await next;
    if (file === undefined) break;
    yield file;
  }
  process.disconnect();
}

/** @returns how many of its tests failed */
async function runFile(file, settings, hooks) {
  const mocha = new Mocha(settings);
  for (const each of hooks) mocha.rootHooks(each);
  mocha.addFile(file);
  try {
    await mocha.loadFilesAsync();
  } catch (error) {
    process.stdout.write(`  1 failing\n\n  1) ${file} could not be loaded:\n\n${error?.stack ?? error}\n`);
    return 1;
  }
  return new Promise((resolve) => mocha.run(resolve));
}

if (process.send !== undefined) await runPart();
