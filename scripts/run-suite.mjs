/**
 * Runs the whole suite as several mocha processes at the same time, each with a Postgres of its own: most tests wait for
 * processes and for time limits. The output reads as that of one run: a suite is printed when it is complete, and the
 * failures of all come last.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { REPOSITORY } from './install-and-build.mjs';

/** As many run at the same time. Each has a Postgres of its own, so that more cost more than they save on two processors. */
const PARTS = 4;

/**
 * How long files take that take long, in seconds, as measured while four parts ran; and the others on average.
 * @public evaluated by a test, in a process of its own
 */
export const SECONDS = {
  'system/silent-connections': 270,
  'integration/imports/snapshots-killed': 45,
  'system/readiness': 145,
  'system/fairness': 125,
  'system/long-turns': 75,
  'system/chaos': 115,
  'system/command-line-own-file': 110,
  'system/demo': 100,
  'system/command-line': 95,
  'system/shutdown': 40,
  'system/console-typed': 110,
  'system/console-pages': 95,
  'system/abuse': 90,
  'integration/imports/approval-killed': 150,
  'integration/jobs/crash-points': 45,
  'integration/proposals/inspection': 15,
  'system/console-roles': 100,
  'integration/imports/whole-files': 50,
  'system/start': 30,
  'integration/exports/jobs': 70,
  'integration/exports/memberships': 45,
  'integration/jobs/reconcile': 25,
  'system/console-items': 65,
  'system/operator-pages': 40,
  'system/console-login': 60,
  'system/guide': 60,
  'integration/jobs/outages': 55,
  'system/console-outage': 55,
  'system/watchdog': 55,
  'integration/admin/backup': 50,
  'integration/exports/round-trips': 50,
  'system/command-line-shops': 60,
  'system/durability': 50,
  'system/metrics': 50,
  'integration/imports/profile-killed': 20,
  'integration/imports/job-as-a-set': 40,
  'system/fan-out-kill': 15,
  'system/s3': 20,
  'integration/feeds/exactly-once': 40,
  'system/console-create': 40,
  'system/console-webhooks': 45,
  'system/console-tree': 40,
  'integration/exports/by-profile': 20,
  'integration/imports/large-items': 15,
  'integration/queues/redis-forms': 20,
  'integration/webhooks/ordering': 20,
  'system/console-buttons': 35,
  'system/console-receiver': 35,
  'integration/remote/sftp-faults': 35,
  'integration/api/body-budget': 30,
  'integration/exports/attribute-files': 30,
  'integration/exports/own-numbers': 30,
  'integration/imports/create-missing-killed': 30,
  'integration/jobs/order': 30,
  'integration/jobs/queue-outage': 20,
  'integration/jobs/retry': 30,
  'system/first-start': 30,
  'integration/feeds/feed-runs': 30,
  'integration/remote/s3-folder': 25,
  'integration/feeds/reached-feeds': 20,
  'integration/remote/https-file': 20,
  'integration/remote/sftp-lines': 15,
  'integration/exports/published-files': 15,
  'system/console-extremes': 15,
  'system/console-guide': 35,
  'system/console-feeds': 40,
  'integration/queues/lost-processes': 40,
  'integration/feeds/destination-deaths': 25,
  'integration/feeds/destination-faults': 70,
  'integration/feeds/destination-runs': 20,
  'integration/feeds/feed-snapshots': 20,
  'integration/feeds/feed-looks': 20,
  'integration/feeds/slow-server': 25,
  'system/console-upload': 30,
  'integration/changes/approval-random': 40,
  'integration/changes/revert-definitions': 30,
  'integration/changes/every-type': 20,
  'integration/changes/delta-sums': 45,
  'integration/feeds/feed-faults': 30,
  'integration/feeds/many-files': 15,
  'system/console-facts': 60,
  'system/console-snapshots': 70,
  'integration/changes/revert-random': 70,
  'integration/changes/revert': 20,
  'integration/stages/killed': 40,
  'integration/stages/filled-stage': 25,
  'integration/stages/any-stage': 100,
  'integration/imports/held-kills': 35,
  'integration/changes/feed-order': 30,
  'integration/imports/bundles': 25,
  'integration/imports/random-tables': 25,
  'system/console-trouble': 40,
  'system/whole-jobs-crash': 25,
  'integration/changes/revert-definitions-random': 40,
  'system/command-line-terminal': 25,
  'system/command-line-feeds': 55,
  'system/shutdown-redis-down': 25,
  'integration/jobs/cancel-anywhere': 20,
  'integration/imports/snapshots-model': 20,
  'integration/api/outages': 40,
  'integration/changes/delta-definitions': 25,
  'integration/db/connection-watch': 45,
  'system/command-line-profiles': 25,
  'system/api-process': 25,
  'integration/exports/profile-round-trips': 30,
  'system/console-keyboard': 40,
  'system/command-line-changes': 45,
  'integration/exports/shipped-round-trips': 65,
  'integration/imports/all-problems': 30,
  'system/command-line-stages': 20,
  'system/console-profiles': 40,
  'system/embedded-postgres': 30,
  'integration/imports/backends': 30,
  'system/console': 85,
  'integration/imports/category-imports': 25,
  'system/webhooks-shutdown': 30,
  'integration/stages/reverted-archives': 25,
  'system/batch-kills': 25,
  'system/command-line-compare': 25,
  'system/console-catalog': 30,
  'integration/imports/snapshots-held': 25,
  'integration/jobs/window': 25,
  'integration/webhooks/shared-limits': 25,
};
const OTHER_SECONDS = 7;
const UNIT_SECONDS = 0.7;

/**
 * Files that are left for the parts that end first, since nobody knows how long the others take on a given machine. Each
 * such part starts a Postgres, which takes some seconds of a processor.
 */
const LATE_PARTS = 8;
const FILES_OF_LATE_PARTS = 16;

/**
 * Unit tests are the first of the first part, because they fail within a minute. The other files are dealt out, the
 * longest first, each to the part that has least until then; some short ones are parts of their own, the last ones.
 * @public evaluated by a test, in a process of its own
 */
export function partsOfSuite() {
  const [unit, integration, system] = ['unit', 'integration', 'system'].map(testsOf);
  const short = integration.filter((file) => secondsOf(file) === OTHER_SECONDS);
  const late = new Set(short.slice(0, LATE_PARTS * FILES_OF_LATE_PARTS));
  const parts = Array.from({ length: PARTS }, () => ({ seconds: 0, files: new Set() }));
  parts[0].seconds = UNIT_SECONDS * unit.length;
  const others = [...system, ...integration].filter((file) => !late.has(file));
  for (const file of others.sort((one, other) => secondsOf(other) - secondsOf(one))) {
    const part = parts.reduce((least, next) => (next.seconds < least.seconds ? next : least));
    part.files.add(file);
    part.seconds += secondsOf(file);
  }
  const large = parts.map(({ files }, part) => {
    const kinds = [system, integration].map((all) => all.filter((file) => files.has(file)));
    // The ones wait while the others compute.
    if (part % 2 === 1) kinds.reverse();
    return [...(part === 0 ? unit : []), ...kinds.flat()];
  });
  const small = Array.from({ length: LATE_PARTS }, (_, part) =>
    [...late].filter((_file, index) => index % LATE_PARTS === part),
  );
  return [...large, ...small];
}

function secondsOf(file) {
  const name = relative(join(REPOSITORY, 'dist', 'test'), file).replace(/\.test\.js$/, '');
  return SECONDS[name] ?? OTHER_SECONDS;
}

/** The files of tests of a kind: unit, integration or system. */
export function testsOf(kind) {
  const folder = join(REPOSITORY, 'dist', 'test', kind);
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.test.js'))
    .sort()
    .map((path) => join(folder, path));
}

/** @returns 0, or 1 if a test failed or a part did not end well */
export async function runSuite(print = (line) => process.stdout.write(`${line}\n`), parts = partsOfSuite()) {
  const startedAt = Date.now();
  const results = [];
  const ends = [];
  const waiting = [...parts.entries()];
  const runWaiting = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, part] = next;
      results[index] = await runPart(part, print);
    }
    ends.push(minutesSince(startedAt));
  };
  // Where there is one processor, tests with time limits get all of it.
  const atOnce = availableParallelism() > 1 ? PARTS : 1;
  await Promise.all(Array.from({ length: atOnce }, runWaiting));
  const sum = (what) => results.reduce((total, { counts }) => total + counts[what], 0);
  print('');
  for (const { failures } of results) for (const line of failures) print(line);
  // Far apart, they say that the table of seconds above is not true any more.
  print(`  The processes that ran at the same time ended after ${ends.join(', ')} minutes.`);
  print(`  ${sum('passing')} passing (${minutesSince(startedAt)}m)`);
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

function minutesSince(time) {
  return Math.round((Date.now() - time) / 60_000);
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
