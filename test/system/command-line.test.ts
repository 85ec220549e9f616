/** The command line against a running system: in a pipe, on a terminal, killed midway, and each exit code. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { createClient, type LongshoreClient } from '@longshore/client';
import { type Hold, startRelay } from '../support/http/relay.js';
import {
  outcomeOf,
  type Run,
  run,
  runSeveral,
  shown,
  signedIn,
  start,
  startOnTerminal,
} from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { reservePort } from '../support/worlds/reserved-port.js';
import { startWorld, type World } from '../support/worlds/world.js';

const BUILT = fileURLToPath(new URL('../../../packages/cli/dist/program.js', import.meta.url));
const GOLDEN = fileURLToPath(new URL('../../../test/fixtures/command-line/', import.meta.url));
/** With WRITE_GOLDEN=1 the expected outputs are written instead of compared: read the difference before you commit it. */
const WRITES_GOLDEN = process.env.WRITE_GOLDEN === '1';
/** `script` of util-linux makes the terminal; that of other systems has other options. */
const HAS_TERMINAL = process.platform === 'linux';
const UNKNOWN_JOB = '0123456789abcdef01234567';

/** What of a command of commander says how to use it. */
interface DocumentedCommand {
  readonly commands: readonly DocumentedCommand[];
  name(): string;
  configureOutput(output: { writeOut(text: string): void }): unknown;
  outputHelp(): void;
}

/** Where a command is killed. Called again, it must end as if it had not been. */
const MOMENTS: Readonly<Record<string, Hold>> = {
  'before it knows that its file is announced': { method: 'POST', path: '/files/product', at: 'after' },
  'in the middle of the upload': { method: 'PUT', path: '/uploads/', at: 'midway' },
  'before it knows that the file is uploaded': { method: 'PUT', path: '/uploads/', at: 'after' },
  'while it waits for the job': { method: 'GET', path: '/jobs/', at: 'before' },
  'before it has the error file': { method: 'GET', path: '/downloads/', at: 'after' },
};

describe('the command line', function () {
  this.timeout(60_000);
  let world: World;
  let folder: OpenFolder;
  let client: LongshoreClient;
  let token: string;
  let account: string;
  let other: Server;

  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 1_000 });
    folder = makeOpenFolder();
    ({ account, token } = await world.newShop());
    const baseUrl = world.api.url;
    client = createClient({ baseUrl, token, site: { account } });
    // The credentials of `npm start` are in the folder where it was called.
    signedIn(folder.path, { baseUrl, account, token });
    await client.bulk('createAttributes', [
      { name: 'Title', type: 'TEXT' },
      { name: 'Price', type: 'DECIMAL' },
    ]);
    await client.setAttributeMapping({ body: { mappings: [{ mapping: 'title', name: 'Title' }] } });
    const { nodeId } = await client.createCategory({ body: { name: 'Disk' } });
    const itemAttributes = ['Title', 'Price'].map((name) => ({ name, action: 'SET' as const }));
    await client.setCategoryAttributes({ body: { nodeId, itemAttributes } });
    other = await startOtherServer();
  });
  after(async () => {
    other.close();
    await world.stop();
    folder.remove();
  });

  const place = (env: Readonly<Record<string, string>> = {}) => ({
    cwd: folder.path,
    env: { LONGSHORE_CONFIG_DIR: join(folder.path, 'config'), ...env },
  });
  const runHere = (args: readonly string[], env?: Record<string, string>): Promise<Run> => run(args, place(env));
  const startHere = (args: readonly string[], env?: Record<string, string>) => start(args, place(env));
  const onTerminal = (args: readonly string[], env?: Record<string, string>, columns?: number): Promise<Run> =>
    outcomeOf(startOnTerminal(args, place(env), columns));
  const through = (url: string) => ({ LONGSHORE_URL: url, LONGSHORE_TOKEN: token, LONGSHORE_ACCOUNT: account });

  function write(name: string, rows: readonly string[], lineEnd = '\n'): string {
    writeFileSync(join(folder.path, name), `${['SKU,Category Node,Title,Price', ...rows].join(lineEnd)}${lineEnd}`);
    return name;
  }

  /** Rows of which one has an unknown category and two have no number as their price. */
  const partly = (prefix: string) => [
    `${prefix}-1,Disk,One,1`,
    `${prefix}-2,Disk,Two,two`,
    `${prefix}-3,Nowhere,Three,3`,
    `${prefix}-4,Disk,Four,x`,
  ];

  /** Compares with what was written down. What differs from run to run is replaced: addresses, ids, times, folders. */
  function matchesGolden(name: string, text: string): void {
    const found = text
      .replaceAll(world.api.url, 'BASE')
      .replaceAll(addressOf(other), 'OTHER')
      .replaceAll(folder.path, 'FOLDER')
      .replace(/[0-9a-f]{24}/g, (id) => (id === UNKNOWN_JOB ? id : 'ID'))
      .replace(/(?<=which is )\d+\.\d+\.\d+/g, 'VERSION')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME');
    const path = join(GOLDEN, `${name}.txt`);
    if (WRITES_GOLDEN) writeFileSync(path, found);
    assert.equal(found, readFileSync(path, 'utf8'));
  }

  /** Commands with what they write and their exit code, as one text. */
  function transcript(commands: readonly (readonly string[])[], runs: readonly Run[]): string {
    const parts = commands.map((words, index) => {
      const { stdout = '', stderr = '', code } = runs[index] ?? { code: null };
      return `$ longshore ${words.map((word) => (/[ {…]/.test(word) ? `'${word}'` : word)).join(' ')}\n${stdout}${stderr}[${code}]\n`;
    });
    return parts.join('\n');
  }

  it('imports a file in a pipe: no bar, no colours, the errors by code and column, the error file, exit code 2', async () => {
    const { code, stdout, stderr } = await runHere(['import', write('partly.csv', partly('P'))]);
    assert.equal(code, 2);
    assert.equal(stderr, `partly.csv → ${world.api.url}, stage production\n`);
    matchesGolden('import.pipe', stdout);
    assert.match(readFileSync(join(folder.path, 'partly.errors.csv'), 'utf8'), /P-2,Disk,Two,two/);
  });

  it('imports a file on a terminal: bars, colours and a table, and the cursor is there again', async function () {
    if (!HAS_TERMINAL) return this.skip();
    const { code, stdout } = await onTerminal(['import', write('terminal.csv', partly('T'))]);
    assert.equal(code, 2);
    matchesGolden('import.terminal', shown(stdout));
  });

  it('shows jobs and errors in a pipe and on a terminal, also on a narrow one and without colours', async function () {
    const { data } = await client.listJobs({ status: 'COMPLETED_PARTIALLY', limit: 100 });
    const commands = [
      ['jobs', 'list', '--limit', '2'],
      ['errors', data.at(-1)?.id ?? '', '--limit', '2'],
    ];
    matchesGolden('tables.pipe', transcript(commands, await runSeveral(commands, place())));
    if (!HAS_TERMINAL) return this.skip();
    for (const [name, env, columns] of [
      ['terminal', {}, 100],
      ['narrow', { NO_COLOR: '1' }, 40],
    ] as const) {
      const runs: Run[] = [];
      for (const words of commands) runs.push(await onTerminal(words, env, columns));
      const asShown = runs.map((one) => ({ ...one, stdout: shown(one.stdout) }));
      matchesGolden(`tables.${name}`, transcript(commands, asShown));
    }
  });

  it('keeps a bar on one line of a narrow terminal, and draws none where the cursor cannot be moved', async function () {
    if (!HAS_TERMINAL) return this.skip();
    const narrow = await onTerminal(['import', write('narrow.csv', ['N-1,Disk,One,1'])], { NO_COLOR: '1' }, 40);
    assert.equal(narrow.code, 0);
    const drawn = narrow.stdout.split('Uploading').flatMap((text) => text.split('Importing'));
    assert.ok(drawn.length > 2, 'two bars');
    for (const bar of drawn.slice(1)) assert.ok(`Uploading${firstLineOf(bar)}`.length < 40, bar);
    const dumb = await onTerminal(['import', write('dumb.csv', ['N-2,Disk,Two,2'])], { TERM: 'dumb' });
    assert.equal(dumb.stdout, shown(dumb.stdout).replaceAll('\n', '\r\n'), 'no control characters');
  });

  it('helps in a pipe and on a terminal', async () => {
    const commands = [['--help'], ['import', '--help'], ['jobs', '--help'], ['errors', '--help']];
    matchesGolden('help.pipe', transcript(commands, await runSeveral(commands, place())));
    if (HAS_TERMINAL) matchesGolden('help.terminal', shown((await onTerminal(['import', '--help'], {}, 80)).stdout));
    const underNpm = await runHere(['import', '--help'], { npm_lifecycle_event: 'longshore' });
    assert.match(underNpm.stdout, /^Usage: npm run longshore -- import /);
    assert.match(underNpm.stdout, /^ {2}npm run longshore -- import items\.csv$/m);
    assert.match(underNpm.stdout, /^ {2}npm run -s longshore -- import items\.csv --json \| jq/m);
  });

  it('says of every mistake in a line what is wrong and what to do', async () => {
    write('all.csv', ['A-1,Disk,One,1']);
    write('head.csv', []);
    writeFileSync(join(folder.path, 'empty.csv'), '');
    writeFileSync(join(folder.path, 'notes.txt'), 'SKU\nA-1\n');
    const { data } = await client.listJobs({ status: 'COMPLETED_PARTIALLY', limit: 100 });
    const ended = data[0]?.id;
    assert.ok(ended, 'a test above has imported a file of which some rows failed: run them together');
    const given = ['--token', token, '--account', account];
    const nowhere = `http://127.0.0.1:${await reservePort()}`;
    const commands = [
      ['import'],
      ['import', 'none.csv'],
      ['import', '.'],
      ['import', 'empty.csv'],
      ['import', 'head.csv'],
      ['import', 'notes.txt'],
      ['import', 'all.csv', 'head.csv'],
      ['import', 'all.csv', '--modus', 'x'],
      ['import', 'all.csv', '--mode', 'replace'],
      ['import', 'all.csv', '--delimiter', 'x'],
      ['import', 'all.csv', '--date-format', 'nonsense'],
      ['import', 'all.csv', '--encoding', 'latin-99'],
      ['import', 'all.csv', '--retry-of', UNKNOWN_JOB],
      ['improt', 'all.csv'],
      ['jobs', 'list', '--limit', 'many'],
      ['jobs', 'list', '--status', 'lost'],
      ['jobs', 'show', 'JOB'],
      ['jobs', 'show', UNKNOWN_JOB],
      ['jobs', 'cancel', ended],
      ['export', 'things'],
      ['export', 'items', '-o', 'all.csv'],
      ['export', 'items', '-o', 'missing/all.csv'],
      ['export', 'items', '-o', '.'],
      ['export', 'items', '--format', 'PDF'],
      ['export', 'items', '--match', '{sku}'],
      ['template', 'items', '--category', '999999'],
      ['webhooks', 'create', 'nowhere'],
      ['export', 'items', '--since', 'yesterday'],
      ['webhooks', 'replay'],
      ['webhooks', 'replay', UNKNOWN_JOB, '--since', 'yesterday'],
      ['webhooks', 'replay', UNKNOWN_JOB, '--since', '2026-01-31T09:00:00Z', '--outcomes', 'LOST'],
      ['webhooks', 'replay', '--event', UNKNOWN_JOB],
      ['webhooks', 'test', UNKNOWN_JOB],
      ['webhooks', 'attempts', UNKNOWN_JOB],
      ['webhooks', 'listen', '--port', '70000'],
      ['jobs', 'list', '--stage', 'NO/SUCH'],
      ['status', '--url', 'localhost:3000'],
      ['status', '--url', nowhere],
      ['status', '--url', nowhere, '--token', 'x', '--account', account],
      ['status', '--url', world.api.url.replace('http:', 'https:'), '--token', 'x', '--account', account],
      ['status', '--token', 'x'],
      ['status', '--token', 'x', '--account', account],
      ['status', '--token', '…', '--account', account],
      ['status', '--url', world.api.url, '--token', 'expired', '--account', account],
      ['status', '--url', `${addressOf(other)}/page`, ...given],
      ['status', '--url', `${addressOf(other)}/missing`, ...given],
      ['jobs', 'show', UNKNOWN_JOB, '--url', `${addressOf(other)}/older`, ...given],
      ['webhooks', 'test', UNKNOWN_JOB, '--url', `${addressOf(other)}/older-webhooks`, ...given],
      ['errors', UNKNOWN_JOB, '--url', `${addressOf(other)}/different`, ...given],
    ];
    const runs = await runSeveral(commands, place());
    const text = transcript(commands, runs).replaceAll(token, 'TOKEN').replaceAll(account, 'ACCOUNT');
    const hosts = { NOWHERE: new URL(nowhere).host, HOST: new URL(world.api.url).host };
    matchesGolden(
      'mistakes.pipe',
      Object.entries(hosts)
        .reduce((shorter, [name, host]) => shorter.replace(new RegExp(`(?<!http://)${host}`, 'g'), name), text)
        .replaceAll(nowhere, 'http://NOWHERE'),
    );
    for (const [index, { code, stderr }] of runs.entries()) {
      assert.equal(code, 1, commands[index]?.join(' '));
      if (stderr.startsWith('error ')) assert.match(stderr, /^[^\n]+\n$/);
      assert.ok(!stderr.includes('    at '), `a stack trace of ${commands[index]?.join(' ')}`);
    }
  });

  it('says that the token of a file is not valid any more, and how to get another', async () => {
    const local = join(folder.path, 'restored');
    signedIn(local, { baseUrl: world.api.url, account, token: 'of-a-system-that-is-gone' });
    const { code, stderr } = await run(['status'], { ...place(), cwd: local });
    assert.equal(code, 1);
    assert.match(stderr, /^error .* answered 401: .*restored\/\.data\/credentials\.json: .*"npm start".*\n$/);
  });

  it('imports files with Windows line ends, blanks, umlauts and a name whose umlaut is two characters', async () => {
    const names = ['my items.csv', "Käse & Brot d'Or.csv", `Ka${'\u0308'}se.csv`];
    const typed = ["'my items.errors.csv'", "'Käse & Brot d'\\''Or.errors.csv'", `Ka${'\u0308'}se.errors.csv`];
    const files = names.map((name, at) => write(name, [`W${at}-1,Disk,One,1`, `W${at}-2,Disk,Two,x`], '\r\n'));
    const errorFiles = names.map((name) => name.replace('.csv', '.errors.csv'));
    const runs = await runSeveral(
      files.map((file) => ['import', file]),
      place(),
    );
    for (const [at, { code, stdout }] of runs.entries()) {
      assert.equal(code, 2, stdout);
      assert.match(stdout, /^1 created, 0 updated, 0 unchanged, 1 failed$/m);
      assert.ok(stdout.endsWith(`  longshore import ${typed[at]}\n`), stdout);
      const path = join(folder.path, errorFiles[at] ?? '');
      writeFileSync(path, readFileSync(path, 'utf8').replace(',x,', ',2,'));
    }
    const again = await runSeveral(
      errorFiles.map((file) => ['import', file]),
      place(),
    );
    for (const { code, stdout } of again) assert.equal(code, 0, stdout);
  });

  it('writes no error file over one that may be being corrected', async () => {
    const before = readFileSync(join(folder.path, 'partly.errors.csv'), 'utf8');
    const { code, stdout } = await runHere(['import', 'partly.errors.csv']);
    assert.equal(code, 2);
    assert.match(stdout, /partly\.errors-2\.csv/);
    assert.equal(readFileSync(join(folder.path, 'partly.errors.csv'), 'utf8'), before);
  });

  it('ends with 0 when all rows are applied, prints one JSON document with --json, and imports again when called again', async () => {
    const again = ['import', write('all.csv', ['A-1,Disk,One,1']), '--json'];
    const jobs = new Set<string>();
    for (const { code, stdout, stderr } of await runSeveral([again, again], place())) {
      const { outcome, errorFile, job } = JSON.parse(stdout) as {
        outcome: string;
        errorFile: null;
        job: { id: string; status: string };
      };
      assert.deepEqual([code, outcome, errorFile, job.status, stderr], [0, 'applied', null, 'COMPLETED', '']);
      jobs.add(job.id);
    }
    assert.equal(jobs.size, 2);
  });

  for (const [index, [moment, hold]] of Object.entries(MOMENTS).entries()) {
    it(`ends with the same result and one job when it was killed ${moment}`, async () => {
      // More than is read at once, where the middle counts.
      const count = hold.at === 'midway' ? 5_000 : 3;
      const rows = Array.from(
        { length: count },
        (_, row) => `K${index}-${row},Disk,Item ${row},${row === 2 ? 'x' : row}`,
      );
      const file = write(`killed-${index}.csv`, rows);
      const relay = await startRelay(world.api.url, hold);
      try {
        const first = startHere(['import', file], through(relay.url));
        await relay.held;
        first.kill('SIGKILL');
        await outcomeOf(first);
        relay.release();
        const { code, stdout, stderr } = await runHere(['import', file, '--json'], through(relay.url));
        assert.equal(code, 2, stderr);
        const { job, errorFile } = JSON.parse(stdout) as { job: { id: string }; errorFile: string };
        assert.equal(errorFile, `killed-${index}.errors.csv`);
        assert.equal(readFileSync(join(folder.path, errorFile), 'utf8').trimEnd().split('\n').length, 2);
        assert.deepEqual(
          readdirSync(folder.path)
            .filter((name) => name.startsWith(`killed-${index}`))
            .sort(),
          [file, errorFile],
        );
        const { data } = await client.listFiles({ type: 'ITEM_IMPORT', limit: 100 });
        const jobs = data.filter(({ name }) => name === file).map(({ jobId }) => jobId);
        assert.deepEqual(jobs, [job.id]);
        const { progressTracker } = await client.getJob({ id: job.id });
        assert.deepEqual([progressTracker.createdCount, progressTracker.errorCount], [count - 1, 1]);
        assert.deepEqual(readdirSync(join(folder.path, 'config', 'imports')), [], 'it is forgotten at the end');
      } finally {
        await relay.stop();
      }
    });
  }

  it('goes on by itself when the connection of an upload is cut, into the same job', async () => {
    const rows = Array.from({ length: 5_000 }, (_, row) => `U-${row},Disk,Item ${row} of the file that is cut,${row}`);
    const file = write('cut.csv', rows);
    const relay = await startRelay(world.api.url, { method: 'PUT', path: '/uploads/', at: 'midway' });
    const importing = runHere(['import', file, '--json'], through(relay.url));
    await relay.held;
    relay.release();
    relay.cut();
    const { code, stdout, stderr } = await importing;
    assert.equal(code, 0, stderr);
    assert.equal(
      (JSON.parse(stdout) as { job: { progressTracker: { createdCount: number } } }).job.progressTracker.createdCount,
      5_000,
    );
    const { data } = await client.listFiles({ type: 'ITEM_IMPORT', limit: 100 });
    assert.equal(data.filter(({ name }) => name === file).length, 1);
    await relay.stop();
  });

  it('says on Ctrl-C whether the upload is complete, and leaves the terminal as it was', async function () {
    if (!HAS_TERMINAL) return this.skip();
    const file = write('stopped.csv', ['S-1,Disk,One,1']);
    for (const [path, method, message] of [
      ['/uploads/', 'PUT', /^The upload is not complete\. Call the same command again to go on\.$/m],
      [
        '/jobs/',
        'GET',
        /^The import goes on\. Call the same command again to follow it, or: longshore jobs cancel [0-9a-f]{24}$/m,
      ],
    ] as const) {
      const relay = await startRelay(world.api.url, { method, path, at: 'before' });
      const importing = startOnTerminal(['import', file], place(through(relay.url)));
      const ended = outcomeOf(importing);
      await relay.held;
      importing.stdin?.write('\u0003');
      const { code, stdout } = await ended;
      assert.equal(code, 130, stdout);
      assert.match(shown(stdout), message);
      await relay.stop();
    }
  });

  it('leaves no part of an export on Ctrl-C, and no definition of a receiver', async () => {
    const relay = await startRelay(world.api.url, { method: 'GET', path: '/jobs/', at: 'before' });
    const exporting = startHere(['export', 'items', '-o', 'stopped-export.csv'], through(relay.url));
    const exported = outcomeOf(exporting);
    await relay.held;
    exporting.kill('SIGINT');
    const { code, stderr } = await exported;
    assert.deepEqual([code, stderr], [130, 'stopped-export.csv was not written.\n']);
    assert.ok(!existsSync(join(folder.path, 'stopped-export.csv.part')));
    await relay.stop();
    const listening = startHere(['webhooks', 'listen']);
    const listened = outcomeOf(listening);
    await new Promise<void>((resolve) => listening.stderr?.once('data', () => resolve()));
    listening.kill('SIGINT');
    assert.equal((await listened).code, 130);
    assert.deepEqual(await client.listWebhooks(), []);
  });

  it('is not logged in when its question is ended by Ctrl-C', async function () {
    if (!HAS_TERMINAL) return this.skip();
    const asking = startOnTerminal(['login'], place());
    const ended = outcomeOf(asking);
    await new Promise<void>((resolve) => asking.stdout?.once('data', () => resolve()));
    asking.stdin?.write('\u0003');
    const { code, stdout } = await ended;
    assert.equal(code, 130, stdout);
  });

  it('exports what it imported, byte for byte the same to a file and to a pipe', async () => {
    const match = ['export', 'items', '--match', '{"sku":["P-1","A-1"]}'];
    const { code, stdout, stderr } = await runHere([...match, '-o', '-']);
    assert.equal(code, 0);
    assert.match(stderr, /^2 items written \(\d+ B\)\n$/);
    const others = await runSeveral(
      [
        [...match, '-o', 'out.csv', '--json'],
        ['template', 'items', '-o', '-'],
      ],
      place(),
    );
    assert.deepEqual(
      others.map((one) => one.code),
      [0, 0],
    );
    assert.equal(digestOf(readFileSync(join(folder.path, 'out.csv'))), digestOf(Buffer.from(stdout)));
    assert.ok(!existsSync(join(folder.path, 'out.csv.part')));
    assert.match(others[1]?.stdout ?? '', /SKU/);
  });

  it('shows jobs, the tree, attributes and the status, and writes the error file of a job again', async () => {
    const { data } = await client.listJobs({ status: 'COMPLETED_PARTIALLY', limit: 100 });
    const job = data.at(-1)?.id ?? '';
    const made = await client.importFile('SKU,Category Node\nR-1,Disk\n', { fileName: 'reverted.csv' });
    const kept = await client.importFile('SKU,Category Node\nR-2,Disk\n', { fileName: 'kept.csv' });
    const asked = await client.exportMatchingItems({ body: { match: { status: 'DRAFT' }, columns: ['SKU'] } });
    const expected: readonly (readonly [readonly string[], number, RegExp])[] = [
      [
        ['errors', job, '-o', 'again.csv'],
        0,
        /3 rows that failed: again\.csv\. .*\n {2}longshore import again\.csv\n$/,
      ],
      [['jobs', 'show', job], 0, /COMPLETED_PARTIALLY: 4 of 4 rows/],
      [['jobs', 'show', asked.jobId], 0, /match: \{"status":"DRAFT"\}\nformat: CSV\ncolumns: SKU\n/],
      [['jobs', 'watch', job], 2, /COMPLETED_PARTIALLY/],
      [['jobs', 'revert', made.job.id], 0, /REVERT[\s\S]*COMPLETED/],
      [['jobs', 'revert', kept.job.id, '--dry-run'], 0, /dry run/],
      [['categories', 'tree'], 0, /Disk {2}node \d+/],
      [['attributes', 'list'], 0, /Title +TEXT +title/],
      [['status'], 0, /stage production, token of .*credentials\.json/],
      [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
    ];
    const runs = await runSeveral(
      expected.map(([words]) => words),
      place(),
    );
    for (const [index, [words, code, output]] of expected.entries()) {
      assert.equal(runs[index]?.code, code, words.join(' '));
      assert.match(runs[index]?.stdout ?? '', output);
    }
    assert.ok(existsSync(join(folder.path, 'again.csv')));
    const left = (await client.listItems({ skus: ['R-1', 'R-2'] })).data;
    assert.deepEqual(
      left.map(({ sku }) => sku),
      ['R-2'],
    );
  });

  it('receives webhooks and verifies them, shows attempts, and replays', async () => {
    const events = ['--source', 'OMS', '--events', 'ORDER_CREATED'];
    const listening = startHere(['webhooks', 'listen', ...events, '--count', '1', '--json']);
    const received = outcomeOf(listening);
    await new Promise<void>((resolve) => listening.stderr?.once('data', () => resolve()));
    const payload = { id: 'O-1' };
    const { eventRequestId } = await client.emitEvent({ body: { source: 'OMS', event: 'ORDER_CREATED', payload } });
    const { code, stdout } = await received;
    assert.equal(code, 0);
    assert.deepEqual((JSON.parse(stdout) as { payload: unknown }).payload, payload);
    assert.deepEqual(await client.listWebhooks(), [], 'the definition is deleted at the end');
    const create = ['webhooks', 'create', 'http://127.0.0.1:9/', ...events, '--json'];
    const [attempts, created] = await runSeveral([['webhooks', 'attempts'], create], place());
    assert.match(attempts?.stdout ?? '', new RegExp(`${eventRequestId} +ORDER_CREATED`));
    const { webhookId } = JSON.parse(created?.stdout ?? '') as { webhookId: string };
    const since = new Date(Date.now() - 3_600_000).toISOString();
    // The definition is in the way in every stage, and is listed in its own.
    const [elsewhere, twin] = await runSeveral(
      [
        ['webhooks', 'list', '--stage', 'test'],
        ['webhooks', 'create', 'http://127.0.0.1:9/', ...events, '--stage', 'test'],
      ],
      place(),
    );
    assert.equal(
      elsewhere?.stdout,
      'There are no definitions in the stage test; those of other stages are listed with --stage.\n',
    );
    assert.match(twin?.stderr ?? '', /already exists! It is in the stage "production"/);
    const replay = ['webhooks', 'replay', webhookId, '--since', since, '--outcomes', 'IGNORED,FAILED', '--dry-run'];
    const [tested, counted, listed] = await runSeveral(
      [['webhooks', 'test', webhookId], replay, ['webhooks', 'list']],
      place(),
    );
    const one = ['webhooks', 'replay', webhookId, '--event', eventRequestId];
    const refused = await runSeveral(
      [
        [...one, '--dry-run'],
        [...one, '--until', since],
      ],
      place(),
    );
    for (const [index, option] of ['--dry-run', '--until'].entries()) {
      const { code: exit, stderr } = refused[index] ?? { code: 0, stderr: '' };
      assert.equal(exit, 1, option);
      assert.match(stderr, new RegExp(`${option} goes with --since, and not with --event`));
    }
    const { webhookEventLogs: logged } = await client.queryEvents({ body: { filters: { webhookId } } });
    assert.deepEqual(logged, [], 'nothing was delivered by what was refused');
    assert.equal(tested?.code, 1, 'nothing listens there');
    assert.match(counted?.stdout ?? '', /would be made/);
    assert.match(listed?.stdout ?? '', new RegExp(webhookId));
  });

  it('keeps a login for this user only, and uses it where no local system is', async () => {
    assert.equal((await runHere(['login'], through(world.api.url))).code, 0);
    assert.equal(statSync(join(folder.path, 'config', 'login.json')).mode & 0o777, 0o600);
    const { code, stdout } = await run(['status', '--json'], { ...place(), cwd: join(folder.path, '..') });
    assert.equal(code, 0);
    assert.equal((JSON.parse(stdout) as { baseUrl: string }).baseUrl, world.api.url);
    assert.match((await runHere(['logout'])).stdout, /forgotten/);
  });

  it('helps with examples everywhere, and completes commands', async () => {
    const words = [
      ['complete', '--', ''],
      ['complete', '--', 'import', '--mode'],
      ['completion', 'bash'],
    ];
    const [first, modes, script] = (await runSeveral(words, place())).map(({ stdout }) => stdout);
    for (const command of ['import', 'export', 'jobs', 'webhooks', 'errors'])
      assert.match(first ?? '', new RegExp(`^${command}$`, 'm'));
    assert.match(modes ?? '', /^insert\nupdate\nupsert$/m);
    assert.match(script ?? '', /complete -o default -F _longshore longshore/);
    const { createProgram } = (await import(BUILT)) as { createProgram(): DocumentedCommand };
    for (const command of commandsOf(createProgram())) {
      let help = '';
      command.configureOutput({
        writeOut: (text) => {
          help += text;
        },
      });
      command.outputHelp();
      assert.match(help, /Examples:/, command.name());
    }
  });
});

/** What was drawn before the cursor was moved, without colours and other control characters. */
function firstLineOf(drawn: string): string {
  return stripVTControlCharacters(drawn).split(/[\r\n]/)[0] ?? '';
}

/** What is no Longshore of this version: a page, nothing, a Longshore without an operation, and one with other answers. */
async function startOtherServer(): Promise<Server> {
  const answers: Readonly<Record<string, readonly [number, string, string]>> = {
    page: [200, 'text/html', '<!doctype html><title>Welcome</title>\n<p>Another program'],
    missing: [404, 'text/html', '<!doctype html><title>404</title>\n<p>Not here'],
    older: [404, 'application/json', '{"code":"PATH_NOT_FOUND","message":"there is nothing at this address"}'],
    'older-webhooks': [
      404,
      'application/json',
      '{"message":"there is nothing at this address; /docs lists all operations"}',
    ],
    different: [200, 'application/json', '{"state":"done"}'],
  };
  const server = createServer((request, response) => {
    const [status, type, body] = answers[request.url?.split('/')[1] ?? ''] ?? [500, 'text/plain', ''];
    response.writeHead(status, { 'content-type': type, 'x-request-id': 'one' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The command and all below it. Logging out has no forms of which there could be examples. */
function commandsOf(command: DocumentedCommand): DocumentedCommand[] {
  const shown = command.commands.filter((one) => !['complete', 'logout'].includes(one.name()));
  return [command, ...shown.flatMap(commandsOf)];
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
