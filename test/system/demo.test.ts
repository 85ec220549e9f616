/** `npm run demo`: plays the sample catalog, tells the truth about it, and can be played again. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../../src/launcher/embedded-postgres.js';
import { runDemo } from '../support/worlds/launcher-process.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { queryOnce } from '../support/worlds/query-once.js';
import { reservePort } from '../support/worlds/reserved-port.js';
import type { RunningProgram } from '../support/worlds/run-program.js';

/** Seen from dist/test/system. */
const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

describe('npm run demo', function () {
  this.timeout(180_000);
  let folder: OpenFolder;
  let dataDir: string;
  let port: number;
  const running: RunningProgram[] = [];

  // The data of one play are the next one's: each has a stage of its own.
  before(() => {
    folder = makeOpenFolder();
    dataDir = join(folder.path, 'data');
  });
  after(() => folder.remove());

  beforeEach(async () => {
    port = await reservePort();
  });

  afterEach(async () => {
    for (const one of running) one.process.kill('SIGTERM');
    await Promise.all(running.splice(0).map((one) => one.exit));
  });

  function demo(args: readonly string[], program?: string): RunningProgram {
    const one = runDemo(args, { DATA_DIR: dataDir, PORT: String(port) }, program);
    running.push(one);
    return one;
  }

  it('plays everything, stays up until it is told to end, and its summary is what the database holds', async () => {
    const one = demo([]);
    await one.said(/Press Ctrl-C to stop it\./);
    for (const path of ['/readyz', '/docs']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
      await response.body?.cancel();
      assert.equal(response.status, 200, path);
    }
    assert.match(one.stdout(), new RegExp(`Console +http://127.0.0.1:${port}/console/#code=lsc_[\\w-]{43}`));
    one.process.kill('SIGINT');
    assert.equal(await one.exit, 0, one.stderr());
    assert.match(one.stdout(), /COMPLETED_PARTIALLY: .* 43 failed/);
    assert.match(one.stdout(), /40 rows downloaded, corrected .*\n( +\d+ %\n)* +COMPLETED: 40 created, .* 0 failed/);
    assert.match(
      one.stdout(),
      /Export +([\d,]+) items as CSV.*\n( +\d+ %\n)* +COMPLETED: 0 created, 0 updated, \1 unchanged, 0 failed/,
    );
    assert.match(one.stdout(), /Deliveries +3 calls of \/demo-1\/orders for ORDER_CREATED, ORDER_SHIPPED: signed/);
    assert.match(
      one.stdout(),
      /Deliveries +\d+ calls of \/demo-1\/jobs for JOB_COMPLETED: signed, and repeated after a 500/,
    );
    const [found] = await queryStage('demo-1');
    assert.equal(shown(one, /items +([\d,]+)/), found?.items);
    assert.equal(shown(one, /([\d,]+) live/), found?.live);
    assert.equal(shown(one, /([\d,]+) drafts/), found?.drafts);
    assert.equal(shown(one, /on sale +([\d,]+)/), found?.on_sale);
    assert.equal(shown(one, /categories +([\d,]+) +in the primary tree, with its root\n/), found?.categories);
    assert.equal(shown(one, /attributes +([\d,]+)\n/), found?.attributes);
    assert.equal(shown(one, /item rows +([\d,]+)/), found?.item_rows);
    assert.equal(shown(one, /jobs +([\d,]+)/), found?.jobs);
    assert.equal(shown(one, /webhook calls +([\d,]+)/), found?.calls);
    assert.equal(shown(one, /([\d,]+) events/), found?.events);
    assert.equal(shown(one, /([\d,]+) calls refused and repeated/), found?.refused);
    assert.deepEqual([found?.refused, found?.undelivered], [2, 0]);
    assert.ok((found?.item_rows ?? 0) >= 10_000);

    // Played again, it has a stage of its own.
    const second = demo(['--exit']);
    assert.equal(await second.exit, 0, second.stderr());
    assert.match(second.stdout(), /stage demo-2/);
    assert.deepEqual(await queryStage('demo-2'), await queryStage('demo-1'));
  });

  it('says in one sentence that its port is in use', async () => {
    const occupant = createServer().listen(port, '127.0.0.1');
    try {
      const one = demo(['--exit']);
      assert.equal(await one.exit, 1);
      assert.equal(one.stdout(), '');
      assert.match(one.stderr(), /^Port \d+ on 127\.0\.0\.1 is in use by another program: .*\n$/);
    } finally {
      occupant.close();
    }
  });

  it('ends with 1 and says what differs when the API does not say what it must', async () => {
    const one = demo(['--exit'], demoThatExpects({ attributes: 30 }));
    assert.equal(await one.exit, 1);
    assert.match(one.stderr(), /^attributes: expected 30, found 29$/m);
  });

  it('plays the catalog that its generator writes', () => {
    execFileSync(process.execPath, [join(REPOSITORY, 'examples/generate.mjs'), '--check'], { stdio: 'pipe' });
  });

  /** A copy of the built demo whose examples promise something else. */
  function demoThatExpects(wrong: object): string {
    const copy = join(folder.path, 'copy');
    mkdirSync(copy);
    for (const path of ['dist/app', 'examples', 'package.json']) {
      cpSync(join(REPOSITORY, path), join(copy, path), { recursive: true });
    }
    symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
    const path = join(copy, 'examples/expected.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...wrong }));
    return join(copy, 'dist/app/demo/main.js');
  }

  /** What the database holds of a stage. The system has ended: a server is started on its data. */
  async function queryStage(stage: string): Promise<StageRow[]> {
    const postgres = await startEmbeddedPostgres({ dataDir });
    try {
      return await queryOnce<StageRow>(postgres.databaseUrl(), stageQuery(stage));
    } finally {
      await postgres.stop();
    }
  }
});

interface StageRow extends Record<string, number> {
  items: number;
  live: number;
  drafts: number;
  on_sale: number;
  categories: number;
  attributes: number;
  item_rows: number;
  jobs: number;
  events: number;
  calls: number;
  refused: number;
  undelivered: number;
}

function stageQuery(stage: string): string {
  const count = (table: string, where = 'true') =>
    `(SELECT count(*)::integer FROM ${table} WHERE ${table}.site_id = site.id AND ${where})`;
  const calls = (where = 'true') =>
    `(SELECT count(*)::integer FROM delivery_attempt JOIN delivery ON delivery.id = delivery_attempt.delivery_id
      WHERE delivery.site_id = site.id AND ${where})`;
  return `SELECT ${count('item')} AS items, ${count('item', "status = 'L'")} AS live, ${count('item', "status = 'D'")} AS drafts,
      ${count('category_item')} AS on_sale, ${count('category', "tree = 'PRIMARY'")} AS categories,
      ${count('attribute')} AS attributes, ${count('job')} AS jobs,
      ${count('event', 'EXISTS (SELECT 1 FROM delivery WHERE delivery.event_id = event.id)')} AS events, ${calls()} AS calls,
      ${calls('delivery_attempt.status_code = 500')} AS refused, ${count('delivery', "status <> 'DELIVERED'")} AS undelivered,
      (SELECT sum(total_count)::integer FROM job WHERE job.site_id = site.id AND kind = 'item') AS item_rows
    FROM site WHERE stage = '${stage}'`;
}

/** A number of the summary. */
function shown(one: RunningProgram, pattern: RegExp): number {
  const summary = one.stdout().slice(one.stdout().indexOf('Read from the API'));
  return Number(pattern.exec(summary)?.[1]?.replaceAll(',', ''));
}
