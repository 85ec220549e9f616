/**
 * Runs the whole suite as several mocha processes at the same time, each with a Postgres of its own: most tests wait for
 * processes and for time limits. The output reads as that of one run: a suite is printed when it is complete, and the
 * failures of all come last.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { REPOSITORY } from './install-and-build.mjs';

/** Each has a Postgres of its own, whose start takes seconds: more of them cost more than they save on two processors. */
const PARTS = 4;

/**
 * Unit tests are the first, because they fail within a minute. The files of each other kind are dealt out, so that
 * neighbours, which often take alike, are in different parts.
 */
function partsOfSuite() {
  const dealt = (files, part) => files.filter((_, index) => index % PARTS === part);
  const [unit, integration, system] = ['unit', 'integration', 'system'].map(testsOf);
  return Array.from({ length: PARTS }, (_, part) => {
    const kinds = [dealt(system, part), dealt(integration, part)];
    // The ones wait while the others compute.
    if (part % 2 === 1) kinds.reverse();
    return [...dealt(unit, part), ...kinds.flat()];
  });
}

/** The files of tests of a kind: unit, integration or system. */
export function testsOf(kind) {
  const folder = join(REPOSITORY, 'dist', 'test', kind);
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.test.js'))
    .sort()
    .map((path) => join(folder, path));
}

/**
 * @param parts the files of tests of each process; one that is done with its own takes over from the one with the most left
 * @returns 0, or 1 if a test failed or a process did not end well
 */
export async function runSuite(print = (line) => process.stdout.write(`${line}\n`), parts = partsOfSuite()) {
  const startedAt = Date.now();
  const waiting = parts.map((files) => [...files]);
  // Where there is one processor, tests with time limits get all of it.
  const processes = availableParallelism() > 1 ? waiting : waiting.slice(0, 1);
  const results = await Promise.all(processes.map((own) => runPart(() => nextFile(own, waiting), print)));
  const sum = (what) => results.reduce((total, { counts }) => total + counts[what], 0);
  print('');
  for (const { failures } of results) for (const line of failures) print(line);
  print(`  ${sum('passing')} passing (${Math.round((Date.now() - startedAt) / 60_000)}m)`);
  if (sum('pending') > 0) print(`  ${sum('pending')} pending`);
  if (sum('failing') > 0) print(`  ${sum('failing')} failing`);
  const broken = results.filter(({ code, counts }) => code !== 0 && counts.failing === 0);
  for (const { file, code } of broken) {
    print(
      `  The process that ${file === undefined ? 'ran the tests' : `was running ${file}`} ended with code ${code}.`,
    );
  }
  // Every process has ended before it could take them.
  const left = waiting.flat();
  if (left.length > 0) print(`  Files that were not run: ${left.length}, the first of which is ${left[0]}.`);
  return broken.length === 0 && left.length === 0 && sum('failing') === 0 ? 0 : 1;
}

/** @param own the files of the process that asks */
function nextFile(own, waiting) {
  if (own.length > 0) return own.shift();
  return waiting.reduce((most, files) => (files.length > most.length ? files : most), own).pop();
}

async function runPart(takeFile, print) {
  const colors = process.stdout.isTTY ? ['--colors'] : [];
  const options = { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] };
  const child = spawn(process.execPath, ['--enable-source-maps', PART, ...colors], options);
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  const reader = new ReportReader(print);
  let file;
  child.on('message', () => {
    file = takeFile();
    // It may have ended meanwhile, which its code says.
    child.send({ file }, () => undefined);
  });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    // What it started may keep its output open: when it has ended, what it has written so far is all.
    child.once('exit', (code, signal) => setTimeout(resolve, DRAINED_AFTER_MS, code ?? signal));
  });
  createInterface(child.stdout).on('line', (line) => reader.read(line));
  createInterface(child.stderr).on('line', (line) => reader.read(line));
  const code = await ended;
  for (const signal of SIGNALS) process.off(signal, passOn);
  child.stdout.destroy();
  child.stderr.destroy();
  reader.endFile();
  return { file, code, counts: reader.counts, failures: reader.failures };
}

/** A line of its own that a process writes when a file is done; no report contains this character. */
export const END_OF_FILE = '\u0000';
const PART = fileURLToPath(new URL('suite-part.mjs', import.meta.url));
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const DRAINED_AFTER_MS = 500;

/** Reads what mocha's `spec` reporter writes for each file: suites, then the counts, then the failures. */
class ReportReader {
  counts = { passing: 0, pending: 0, failing: 0 };
  failures = [];
  #suite = [];
  #isOver = false;
  #print;

  constructor(print) {
    this.#print = print;
  }

  read(line) {
    const plain = stripVTControlCharacters(line);
    const count = /^ {2}(\d+) (passing|pending|failing)\b/.exec(plain);
    if (plain === END_OF_FILE) this.endFile();
    else if (count !== null) {
      this.#flush();
      this.#isOver = true;
      this.counts[count[2]] += Number(count[1]);
    } else if (this.#isOver) {
      this.failures.push(line);
    } else {
      // The name of a suite at the top.
      if (/^ {2}\S/.test(plain)) this.#flush();
      this.#suite.push(line);
    }
  }

  endFile() {
    this.#flush();
    this.#isOver = false;
    // The report of a file without a failure ends with an empty line.
    while (this.failures.at(-1)?.trim() === '') this.failures.pop();
    if (this.failures.length > 0) this.failures.push('', '');
  }

  #flush() {
    // Each file has an empty line before its first suite and one behind its last.
    while (this.#suite[0]?.trim() === '') this.#suite.shift();
    while (this.#suite.at(-1)?.trim() === '') this.#suite.pop();
    for (const line of this.#suite) this.#print(line);
    if (this.#suite.length > 0) this.#print('');
    this.#suite = [];
  }
}
