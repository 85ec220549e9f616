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

/**
 * How many run at the same time. Each has a Postgres of its own, whose start takes seconds: more of them cost more than
 * they save on two processors.
 */
const AT_ONCE = 4;
/** Parts that begin when the first ones end, so that all end at about the same time: with every fifth file. */
const SMALL_PARTS = 8;
const SMALL_EVERY = 5;

/**
 * Unit tests are the first of the first part, because they fail within a minute. The files of each other kind are dealt
 * out, so that neighbours, which often take alike, are in different parts.
 */
function partsOfSuite() {
  const [unit, integration, system] = ['unit', 'integration', 'system'].map(testsOf);
  const isLate = (_, index) => index % SMALL_EVERY === SMALL_EVERY - 1;
  const early = [system, integration].map((files) => files.filter((...at) => !isLate(...at)));
  const late = [system, integration].flatMap((files) => files.filter(isLate));
  const large = Array.from({ length: AT_ONCE }, (_, part) => {
    const kinds = early.map((files) => dealt(files, part, AT_ONCE));
    // The ones wait while the others compute.
    if (part % 2 === 1) kinds.reverse();
    return [...(part === 0 ? unit : []), ...kinds.flat()];
  });
  return [...large, ...Array.from({ length: SMALL_PARTS }, (_, part) => dealt(late, part, SMALL_PARTS))];
}

function dealt(files, part, parts) {
  return files.filter((_, index) => index % parts === part);
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
 * @param parts the files of tests of each process; a process begins when one of those before it ends
 * @returns 0, or 1 if a test failed or a part did not end well
 */
export async function runSuite(print = (line) => process.stdout.write(`${line}\n`), parts = partsOfSuite()) {
  const startedAt = Date.now();
  const results = [];
  const waiting = parts.entries();
  const runWaiting = async () => {
    for (const [part, specs] of waiting) results[part] = await runPart(specs, print);
  };
  // Where there is one processor, tests with time limits get all of it.
  await Promise.all(Array.from({ length: availableParallelism() > 1 ? AT_ONCE : 1 }, runWaiting));
  const sum = (what) => results.reduce((total, { counts }) => total + counts[what], 0);
  print('');
  for (const { failures } of results) for (const line of failures) print(line);
  print(`  ${sum('passing')} passing (${Math.round((Date.now() - startedAt) / 60_000)}m)`);
  if (sum('pending') > 0) print(`  ${sum('pending')} pending`);
  if (sum('failing') > 0) print(`  ${sum('failing')} failing`);
  const broken = results.filter(({ code, counts }) => code !== 0 && counts.failing === 0);
  for (const { specs, code } of broken) {
    print(
      `  The process with ${specs.length} files of tests, the first of which is ${specs[0]}, ended with code ${code}.`,
    );
  }
  return broken.length === 0 && sum('failing') === 0 ? 0 : 1;
}

async function runPart(specs, print) {
  // Resolved only now: this file is loaded before anything is installed.
  const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));
  const colors = process.stdout.isTTY ? ['--colors'] : [];
  const child = spawn(process.execPath, [mocha, ...colors, ...specs], { stdio: ['ignore', 'pipe', 'pipe'] });
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  const reader = new ReportReader(print);
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
  reader.end();
  return { specs, code, counts: reader.counts, failures: reader.failures };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const DRAINED_AFTER_MS = 500;

/** Reads what mocha's `spec` reporter writes: suites, then the counts, then the failures. */
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
    if (count !== null) {
      this.#flush();
      this.#isOver = true;
      this.counts[count[2]] = Number(count[1]);
    } else if (this.#isOver) {
      this.failures.push(line);
    } else {
      // The name of a suite at the top.
      if (/^ {2}\S/.test(plain)) this.#flush();
      this.#suite.push(line);
    }
  }

  end() {
    this.#flush();
    while (this.failures[0]?.trim() === '') this.failures.shift();
  }

  #flush() {
    for (const line of this.#suite) this.#print(line);
    this.#suite = [];
  }
}
