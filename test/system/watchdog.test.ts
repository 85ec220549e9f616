/** Processes that make no progress end themselves, and say why; those that do long lawful work do not. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { enqueueEntries } from '../../src/queues/outbox.js';
import type { WorkerGroup } from '../../src/workers/start-workers.js';
import { FAULT, type Gate, installFaults, shutGate } from '../support/faults/faults.js';
import { POISON } from '../support/faults/poison.js';
import { acceptExport } from '../support/http/exporting.js';
import type { Shop } from '../support/http/shop.js';
import { type RunningProgram, runProgram } from '../support/worlds/run-program.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { startWorld, type World } from '../support/worlds/world.js';

const PRELOADED = new URL('../support/faults/poison.js', import.meta.url).href;
const INJECT_BUG = new URL('../chaos/inject-bug.js', import.meta.url).href;
const WATCHED = {
  WATCHDOG_MS: '3000',
  // A long statement is recognized within this time.
  DATABASE_SILENCE_MS: '1000',
  // The limit is at least twice as long as these.
  STORAGE_TIMEOUT_MS: '1000',
  WEBHOOK_TIMEOUT_SECONDS: '1',
  WORKER_LOCK_MS: '2000',
  WORKER_STALLED_MS: '500',
} as const;

describe('the watchdog of a process', function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  let gate: Gate | undefined;
  const started: RunningProgram[] = [];
  before(async () => {
    world = await startWorld();
    await installFaults(world.db);
    const workers = await world.startWorkers();
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await workers.stop();
  });
  after(() => world.stop());
  afterEach(async () => {
    await gate?.open();
    await Promise.all(started.splice(0).map((program) => program.stop('SIGKILL')));
  });

  it('ends it when its event loop stands still, and says where; another one executes the step', async () => {
    const jobId = await acceptFile(`${POISON}1`);
    const poisoned = { NODE_OPTIONS: `--import=${PRELOADED}`, POISON_BY: 'stand' };
    const worker = await startWorker(poisoned);
    const [line] = await worker.said(/\{[^\n]*the event loop has stood still for 3 s[^\n]*/);
    const { level, process: name, stack } = JSON.parse(line);
    assert.deepEqual([level, name], [50, 'worker']);
    assert.match(stack.join('\n'), /takePoison .*poison\.js:\d+/);
    assert.equal(await worker.exit, 'SIGKILL');
    await startWorker();
    assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
  });

  it('ends it when none of its work advances, and leaves one alone whose statement takes longer', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const imported = await acceptFile(`${FAULT.wait}1`);
    const lawful = await startWorker({}, ['bulk', 'maintenance']);
    await gate.reached();
    const exported = await acceptExport(shop);
    const stuck = await startWorker(bug('hang-in-export'), ['export']);
    const [line] = await stuck.said(/\{[^\n]*nothing of this work has come further for 3 s[^\n]*/);
    const { level, work } = JSON.parse(line);
    assert.equal(level, 50);
    assert.match(work.join(), new RegExp(`^step export-job of job ${exported}, for [34] s$`));
    assert.equal(await stuck.exit, 'SIGKILL');
    // It had waited for its statement since before the other one began.
    assert.equal(lawful.process.exitCode ?? lawful.process.signalCode, null);
    await gate.open();
    await startWorker({}, ['export']);
    for (const jobId of [imported, exported]) {
      assert.equal((await shop.ask('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=25' } })).status, 'COMPLETED');
    }
    assert.doesNotMatch(lawful.stderr(), /"level":50/);
  });

  it('ends a web process that gets no connection to a database that answers', async () => {
    const { databaseUrl, storage, secretsKeys } = world.services.config;
    const web = runProgram('app/api/main.js', [], {
      ...{ ...WATCHED, ...bug('leak-connections'), DATABASE_URL: databaseUrl, DATABASE_POOL_MAX: '2', PORT: '0' },
      STORAGE_URL: pathToFileURL(storage.directory).href,
      SECRETS_KEY: secretsKeys.join(),
    });
    started.push(web);
    await web.said(/"level":50[^\n]*serving requests[^\n]*this process ends itself/);
    assert.equal(await web.exit, 'SIGKILL');
  });

  function bug(name: string): Record<string, string> {
    return { NODE_OPTIONS: `--import=${INJECT_BUG}`, LONGSHORE_TEST_FAULT: name };
  }

  async function startWorker(
    over: Record<string, string> = {},
    groups: readonly WorkerGroup[] = [],
  ): Promise<RunningProgram> {
    const worker = await startWorkerProcess(world, { ...WATCHED, ...over }, groups);
    started.push(worker);
    return worker;
  }

  async function acceptFile(sku: string): Promise<string> {
    const { jobId, outboxEntries } = await world.acceptFile(
      shop,
      'x.csv',
      `SKU,Category Node,Title\n${sku},Disk,T\nb,Disk,T\nc,Disk,T\nd,Disk,T\n`,
    );
    await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
    return jobId;
  }
});
