/** `longshore feeds …`: the feeds of a stage, what their runs did, and what they see. */
import { readFileSync } from 'node:fs';
import type { InputOf, LongshoreClient, schemas } from '@longshore/client';
import type { Command } from 'commander';
import { type CommonOptions, clientOf, withAccess } from '../access.js';
import { allPages } from '../all-pages.js';
import { CommandError, EXIT } from '../failure.js';
import { commandLine, count, note, plural, print, printJson, printTable, size } from '../terminal.js';

type Feed = schemas.Feed;
type Tried = InputOf<'testFeed'>['body'];

const PAGE = 100;

export function addFeeds(program: Command): void {
  const feeds = program
    .command('feeds')
    .description('let files come and go by themselves: list, save, run and test feeds')
    .addHelpText('after', '\nExamples:\n  longshore feeds list\n  longshore feeds run "ERP, every night"');
  withAccess(feeds.command('list').description('the feeds of the stage, and how they are'))
    .addHelpText('after', '\nExamples:\n  longshore feeds list')
    .action(listCommand);
  withAccess(feeds.command('save').description('save a feed, or change the one of this name'))
    .requiredOption('--file <file>', 'the body of POST /feeds, as JSON')
    .addHelpText(
      'after',
      `
Of a feed that is there, members that the file leaves out stay as they are.

Examples:
  longshore feeds save --file feed.json`,
    )
    .action(saveCommand);
  withAccess(feeds.command('runs').argument('<feed>', 'its name or id').description('what its runs did, newest first'))
    .addHelpText('after', '\nExamples:\n  longshore feeds runs ERP')
    .action(runsCommand);
  withAccess(feeds.command('run').argument('<feed>', 'its name or id').description('run a feed now, and wait for it'))
    .option('--again <file>', 'take this file again, though it was taken: its import was rejected, or the brake held')
    .addHelpText(
      'after',
      `
Exit code: 0 nothing failed, 2 files were taken or sent and something failed, 1 failed.

Examples:
  longshore feeds run ERP
  longshore feeds run ERP --again items-2026-11-26.csv
  longshore feeds run 6920f0c4a1b2c3d4e5f60718 --json`,
    )
    .action(runCommand);
  withAccess(
    feeds
      .command('test')
      .argument('[feed]', 'its name or id')
      .description('connect, and list what a source sees, or write a small file for a destination'),
  )
    .option('--file <file>', 'a feed that is not saved yet: the body of POST /feeds, as JSON')
    .addHelpText(
      'after',
      `
Nothing is taken or saved, and the small file is removed again. Exit code: 0 it was reached, 1 not.

Examples:
  longshore feeds test ERP
  longshore feeds test --file feed.json`,
    )
    .action(testCommand);
}

async function listCommand(options: CommonOptions): Promise<void> {
  const feeds = await feedsOf(clientOf(options));
  if (options.json) return printJson(feeds);
  if (feeds.length === 0) return note('There are no feeds in this stage. docs/use/feeds.md shows how to save one.');
  printTable(
    ['NAME', 'FILES', 'STATE', 'LAST RUN', 'LAST FILE', 'NEXT RUN', 'FAILED RUNS'],
    feeds.map((feed) => [
      ...[feed.name, placeOf(feed), stateOf(feed), outcomeOf(feed.lastRun), atLocalTime(feed.lastFileAt, '-')],
      ...[atLocalTime(feed.nextRunAt, withoutTime(feed)), String(feed.failures)],
    ]),
  );
  for (const { name, pauseReason, lastFailure } of feeds) {
    if (pauseReason !== null) note(`${name} is paused: ${pauseReason}`);
    else if (lastFailure !== null) note(`${name}: ${lastFailure.code}: ${lastFailure.message}`);
  }
}

async function saveCommand({ file, ...options }: CommonOptions & { readonly file: string }): Promise<void> {
  const api = clientOf(options);
  const body = readJson<InputOf<'createFeed'>['body']>(file);
  const there = (await feedsOf(api)).find(({ name }) => name.toLowerCase() === String(body.name).toLowerCase());
  const { direction, ...change } = body;
  if (there !== undefined && direction !== undefined && direction !== there.direction) {
    throw new CommandError(
      `"${there.name}" is a ${there.direction}, which cannot become a ${direction}: choose another name`,
    );
  }
  const saved =
    there === undefined ? await api.createFeed({ body }) : await api.updateFeed({ feedId: there.id, body: change });
  if (options.json) return printJson(saved);
  print(`${saved.name} was saved`);
}

async function runsCommand(wanted: string, options: CommonOptions): Promise<void> {
  const api = clientOf(options);
  const { id: feedId } = await findFeed(api, wanted);
  const { data: runs } = await api.listFeedRuns({ feedId, limit: PAGE });
  if (options.json) return printJson(runs);
  printTable(
    ['STARTED', 'WHY', 'STATUS', 'FILES', 'CREATED', 'UPDATED', 'REMOVED', 'FAILED ROWS', 'JOB', 'MESSAGE'],
    runs.map(({ createdAt, cause, lateByMinutes, status, report, delivery, imports, jobId, statusMessage }) => [
      atLocalTime(createdAt, '-'),
      lateByMinutes > 0 ? `${cause}, ${count(lateByMinutes)} min late` : cause,
      ...[status ?? '-', movedBy(report?.taken ?? delivery?.files.length)],
      ...[imports.created, imports.updated, imports.removed, imports.failed].map((figure) =>
        imports.jobs === 0 ? '-' : count(figure),
      ),
      ...[jobId, [statusMessage, ...remarksOn(imports)].filter(Boolean).join('; ')],
    ]),
  );
}

async function runCommand(
  wanted: string,
  { again, ...options }: CommonOptions & { readonly again?: string },
): Promise<void> {
  const api = clientOf(options);
  const { id: feedId, direction } = await findFeed(api, wanted);
  const begun =
    again === undefined
      ? await api.runFeed({ feedId })
      : await api.takeFeedFileAgain({ feedId, body: { name: again } });
  const job = await api.waitForJob('jobId' in begun ? begun.jobId : begun.id);
  if (options.json) printJson(job);
  else {
    print(`${job.status}${job.statusMessage === null ? '' : `: ${job.statusMessage}`}`);
    if (direction === 'SOURCE') note(`To follow the imports: ${commandLine('jobs', 'list')}`);
  }
  if (job.status === 'COMPLETED_PARTIALLY') process.exitCode = EXIT.someRowsFailed;
  else if (job.status !== 'COMPLETED') process.exitCode = EXIT.failed;
}

async function testCommand(wanted: string | undefined, options: CommonOptions & { readonly file?: string }) {
  if ((wanted === undefined) === (options.file === undefined)) {
    throw new CommandError('Name a feed, or give --file with one that is not saved yet');
  }
  const api = clientOf(options);
  const body =
    wanted === undefined ? readJson<Tried>(options.file ?? '') : { feedId: (await findFeed(api, wanted)).id };
  const test = await api.testFeed({ body });
  if (!test.reached) process.exitCode = EXIT.failed;
  if (options.json) return printJson(test);
  // Also if nobody was logged in: who is to trust the key has to see it before.
  if (test.hostKey !== null) print(`The server has shown this key: ${test.hostKey}`);
  if (test.failure !== null) return print(`${test.failure.code}: ${test.failure.message}`);
  if (test.untried === true) return print('The address answers. Nothing was sent: what is put there is a delivery');
  if (test.writable !== null) return printWritable(test);
  print(`${plural(test.seen, 'file')}${test.more ? ', and more than are looked at' : ''}`);
  printTable(
    ['FILE', 'SIZE', 'CHANGED', 'A RUN', 'WHY'],
    test.files.map(({ name, bytes, modifiedAt, fate, reason }) => [
      ...[name, bytes === null ? '-' : size(bytes), atLocalTime(modifiedAt, '-')],
      ...[FATES[fate], reason ?? ''],
    ]),
  );
}

function printWritable(test: schemas.FeedTest): void {
  print('A file can be written there');
  if (test.left !== null) {
    print(`It could not be removed again (${test.left}), and neither can older files: leave "keep" out, or allow it`);
  }
}

/** When a feed runs that has no next time. */
function withoutTime({ state, after }: Feed): string {
  if (state === 'PAUSED') return '-';
  return after === null ? 'on request' : `after ${after.feed}`;
}

/** Where its files come from, or go. */
function placeOf({ direction, connection }: Feed): string {
  return `${direction === 'SOURCE' ? 'from' : 'to'} ${connection.kind}`;
}

function stateOf({ state, breaker }: Feed): string {
  return breaker === 'OPEN' ? `${state}, breaker open` : state;
}

function outcomeOf(run: Feed['lastRun']): string {
  if (run === null) return '-';
  return [run.status ?? '-', ...(run.imports.brake === null ? [] : ['brake']), ...unimported(run.imports)].join(', ');
}

/** What somebody has to look at, of the imports of a run. */
function remarksOn(imports: schemas.FeedRun['imports']): string[] {
  const { brake, awaiting } = imports;
  return [
    ...(brake === null ? [] : [`the brake has stopped the removals of ${brake.fileName}: ${brake.message}`]),
    ...(awaiting === 0 ? [] : [`${plural(awaiting, 'import')} waiting for an approval`]),
    ...unimported(imports),
  ];
}

function unimported({ notImported }: schemas.FeedRun['imports']): string[] {
  return notImported === 0 ? [] : [`${plural(notImported, 'file')} not imported`];
}

function movedBy(files: number | undefined): string {
  return files === undefined ? '-' : count(files);
}

const FATES = {
  NEW: 'takes it',
  KNOWN: 'has taken it',
  WAITING: 'waits until it is complete',
  REFUSED: 'leaves it',
} as const;

function feedsOf(api: LongshoreClient): Promise<Feed[]> {
  return allPages((offset) => api.listFeeds({ offset, limit: PAGE }));
}

/** By its id or its name. @throws CommandError when there is none */
async function findFeed(api: LongshoreClient, wanted: string): Promise<Feed> {
  const feeds = await feedsOf(api);
  const found =
    feeds.find(({ id }) => id === wanted) ?? feeds.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found !== undefined) return found;
  const names = feeds.map(({ name }) => `"${name}"`).join(', ');
  throw new CommandError(`There is no feed "${wanted}" in this stage${names === '' ? '' : `: it has ${names}`}`);
}

function readJson<Body>(path: string): Body {
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text) as Body;
  } catch (error) {
    throw new CommandError(`${path} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** In the time zone of the terminal. */
function atLocalTime(instant: string | null, otherwise: string): string {
  if (instant === null) return otherwise;
  return new Date(instant).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' });
}
