/** An export as a job: cancelled, killed, failed, put off, repeated – and one whole file in the end, or none. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { FileStore, PendingFile } from '../../../src/platform/file-store.js';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import type { WorkerServices } from '../../../src/workers/context.js';
import { runAlone } from '../../../src/workers/lone-process.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, runStep, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import { type HeldStore, holdStore } from '../../support/faults/held-store.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { acceptExport, askForExport, exportFile, exportText } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { until } from '../../support/until.js';
import { OWN_SESSIONS } from '../../support/worlds/own-sessions.js';
import { emptyQueues } from '../../support/worlds/queue-state.js';
import type { RunningProgram } from '../../support/worlds/run-program.js';
import { storedIn, UNFINISHED } from '../../support/worlds/stored-in.js';
import { startWorkerProcess } from '../../support/worlds/worker-process.js';
import { startWorld, type Workers, type World } from '../../support/worlds/world.js';

const PROMPTLY_MS = 20_000;
const ROWS = 40_000;

describe('the job of an export', function () {
  this.timeout(90_000);

  forEachBackend((backend) => {
    let world: World;
    /** Holds many items; its exports take a while. */
    let shop: Shop;
    let workers: Workers | undefined;
    let held: HeldStore | undefined;
    const processes: RunningProgram[] = [];

    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl, environment: { WORKER_EXPORTS: '4' } });
      const bulk = await world.startWorkers({}, ['bulk']);
      shop = await world.newShop();
      await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      await shop.bulk('insert', [{ sku: 'first', nodeName: 'Disk', attributes: { Title: 'First '.repeat(150) } }]);
      await bulk.stop();
      await world.db.raw(
        `INSERT INTO item (site_id, sku, node_id, attributes)
         SELECT site_id, 'sku-' || n, node_id, attributes FROM item, generate_series(1, ?) AS n WHERE site_id = ?`,
        [ROWS, shop.siteId],
      );
    });
    after(() => world.stop());
    afterEach(async () => {
      held?.release();
      for (const program of processes.splice(0)) {
        program.process.kill('SIGKILL');
        await program.end;
      }
      await workers?.stop();
      held = undefined;
      workers = undefined;
    });

    it('answers who waits with the file, and the same to who asks again', async () => {
      workers = await world.startWorkers({}, ['export']);
      const headers = { prefer: 'wait=25', 'idempotency-key': `export-${backend.name}` };
      const answer = await askForExport(shop, { body: { skus: ['first'] } }, headers);
      assert.equal(answer.status, 200);
      assert.deepEqual([answer.body.status, answer.body.rowCount], ['COMPLETED', 1]);
      const again = await askForExport(shop, { body: { skus: ['first'] } }, headers);
      assert.deepEqual(again.body, answer.body);
      assert.equal((await askForExport(shop, { body: { skus: ['second'] } }, headers)).status, 422);
      const result = await shop.ask('GET', `/jobs/${answer.body.jobId}/result`);
      assert.deepEqual(result, answer.body);
      const { data } = await shop.ask('GET', '/files/product?type=ITEM_EXPORT');
      assert.deepEqual(
        data.map(({ id }: { id: string }) => id),
        answer.body.outputFiles,
      );
    });

    it('ends at once when it is cancelled before it began, and its worker finds nothing to do', async () => {
      const jobId = await acceptExport(shop);
      assert.equal((await cancel(jobId)).status, 'CANCELLED');
      workers = await world.startWorkers({}, ['export']);
      await exportText(shop, { body: { skus: ['first'] } });
      await leavesNothing(jobId);
    });

    it('ends at once when it is cancelled in the middle, and leaves no file', async () => {
      held = holdStore(world.services.fileStore, 'create');
      workers = await world.startWorkers({ fileStore: held.fileStore }, ['export']);
      const jobId = await acceptExport(shop);
      await held.reached;
      const job = await cancel(jobId);
      assert.equal(job.status, 'CANCELLED');
      assert.deepEqual(job.outputFiles, []);
      held.release();
      await leavesNothing(jobId);
      assert.equal((await shop.call('POST', `/jobs/${jobId}/actions/cancel`)).status, 200);
    });

    it('stops its worker in the middle of the rows when it is cancelled', async () => {
      const { fileStore, stuck } = stuckStore(world.services.fileStore);
      workers = await world.startWorkers({ fileStore }, ['export']);
      const jobId = await acceptExport(shop);
      await stuck;
      const copies = () =>
        world.db.from(world.db.raw(OWN_SESSIONS)).where('query', 'like', 'COPY (%').where({ state: 'active' });
      // More than connections hold: it waits for somebody to take it.
      await until('Postgres writes', async () => (await copies()).length === 1, PROMPTLY_MS);
      await cancel(jobId);
      await until('Postgres has stopped', async () => (await copies()).length === 0, PROMPTLY_MS);
      await leavesNothing(jobId);
    });

    it('is written anew when its worker is killed in the middle, and leaves one file', async () => {
      const environment = {
        WORKER_LOCK_MS: '1000',
        WORKER_STALLED_MS: '500',
        RECONCILE_MS: '500',
        RECONCILE_GRACE_MS: '500',
      };
      const jobId = await acceptExport(shop);
      const doomed = await startWorkerProcess(world, environment);
      processes.push(doomed);
      await until('it writes', async () => (await partsOf(world)) > 0, PROMPTLY_MS);
      doomed.process.kill('SIGKILL');
      await doomed.end;
      processes.push(await startWorkerProcess(world, environment));
      const job = await untilEnded(shop, jobId);
      assert.equal(job.status, 'COMPLETED');
      assert.equal(job.outputFiles.length, 1);
      const { bytes } = await shop.download(job.outputFiles[0]);
      assert.equal(bytes.toString().split('\n').length, ROWS + 3);
      assert.equal((await world.db('file').where({ job_id: jobId })).length, 1);
      assert.equal((await storedOf(jobId)).length, 1);
      await world.services.fileStore.removeAbandoned(0);
      assert.equal(await partsOf(world), 0);
    });

    it('is ended alike by others at whatever message to the database its worker dies', async () => {
      const expected = await undisturbed();
      for (const lose of ['unsent', 'unanswered'] as const) {
        // Until it is through: one that takes longer says more often how far it is.
        let cut = true;
        for (let at = 1; cut; at += 5) {
          const jobId = await accept();
          ({ cut } = await runDoomed(world.services, [first(jobId)], { at, lose }));
          assert.ok(cut || at > 10, `message ${at} was never sent`);
          await untilDoomedIsGone(world.db);
          const { dispatch, completed_at: ended } = await world.db('job').where({ id: jobId }).first();
          if (ended === null) await runStep(world.services, { queue: 'export', payload: { jobId, dispatch } });
          assert.equal(
            await fileText(jobId),
            expected.text,
            `killed at message ${at} of ${expected.messages}, ${lose}`,
          );
          assert.equal((await storedOf(jobId)).length, 1);
        }
      }
    });

    it('leaves no unfinished file when it runs in a process of its own, and is stopped there', async () => {
      await world.services.fileStore.removeAbandoned(0);
      const jobId = await acceptExport(shop);
      const stop = new AbortController();
      const { config } = world.services;
      const step = { config, queue: 'exportJob', payload: { jobId, dispatch: 1 } } as const;
      const alone = runAlone(step, stop.signal);
      await until('it writes', async () => (await partsOf(world)) > 0, PROMPTLY_MS);
      stop.abort(new Error('the worker stops'));
      await assert.rejects(alone, /the worker stops/);
      assert.equal(await partsOf(world), 0);
      await runStep(world.services, first(jobId));
    });

    it('counts only the attempt that began last: an earlier one that wakes up writes nothing', async () => {
      const jobId = await accept();
      held = holdStore(world.services.fileStore, 'create');
      const asleep = runStep({ ...world.services, fileStore: held.fileStore }, first(jobId));
      await held.reached;
      await runStep(world.services, first(jobId));
      const before = await fileText(jobId);
      held.release();
      await asleep;
      assert.equal(await fileText(jobId), before);
      assert.equal((await world.db('file').where({ job_id: jobId })).length, 1);
      assert.equal((await storedOf(jobId)).length, 1);
    });

    it('is tried again when the store fails, and given up in the end', async () => {
      const broken: WorkerServices['fileStore'] = {
        ...world.services.fileStore,
        create: () => Promise.reject(new Error('the disk is on fire')),
      };
      workers = await world.startWorkers({ fileStore: broken }, ['export']);
      const jobId = await acceptExport(shop, { body: { skus: ['first'] } });
      await until(
        'it has failed once',
        async () => (await world.db('job').where({ id: jobId }).first()).attempts > 0,
        PROMPTLY_MS,
      );
      await world.db('job').where({ id: jobId }).update({ attempts: 7 });
      const job = await untilEnded(shop, jobId);
      assert.deepEqual([job.status, job.reason, job.outputFiles], ['FAILED', 'INTERNAL_ERROR', []]);
      assert.match(job.statusMessage, /request the export again/);
    });

    it('is enqueued again when the queue has lost it', async () => {
      const jobId = await acceptExport(shop, { body: { skus: ['first'] } });
      await emptyQueues(world.services.producer, backend);
      workers = await world.startWorkers({}, ['export']);
      const impatient = { ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } };
      assert.equal(await reconcile(impatient), 1);
      assert.equal((await untilEnded(shop, jobId)).status, 'COMPLETED');
    });

    it('waits while two others of its site run, and lets those of other sites pass', async () => {
      held = holdStore(world.services.fileStore, 'create', (key) => key.startsWith('exports/'));
      workers = await world.startWorkers({ fileStore: held.fileStore }, ['export']);
      const crowd: string[] = [];
      for (let count = 0; count < 4; count++) crowd.push(await acceptExport(shop, { body: { skus: ['first'] } }));
      const states = async () => {
        const rows = await world.db('job').whereIn('id', crowd).select('started_at', 'dispatched_at');
        return [
          rows.filter((row) => row.started_at !== null).length,
          rows.filter((row) => row.dispatched_at === null).length,
        ];
      };
      await until('two run and two wait', async () => (await states()).join() === '2,2', PROMPTLY_MS);
      const other = await world.newShop();
      const passing = await acceptExport(other);
      await until(
        'it has begun',
        async () => (await world.db('job').where({ id: passing }).first()).started_at !== null,
        PROMPTLY_MS,
      );
      const running = await world.db('job').whereIn('id', crowd).whereNotNull('started_at').first('id');
      await cancel(running.id);
      await until('the third has begun', async () => (await states())[0] === 3, PROMPTLY_MS);
      held.release();
      for (const jobId of crowd.filter((id) => id !== running.id))
        assert.equal((await untilEnded(shop, jobId)).status, 'COMPLETED');
    });

    it('shows one moment of a catalog that is being written', async () => {
      workers = await world.startWorkers();
      const busy = await world.newShop();
      await busy.define({ attributes: ['Version'], categories: { Disk: ['Version'] } });
      const items = (version: string) =>
        Array.from({ length: 200 }, (_, index) => ({
          sku: `s${index}`,
          nodeName: 'Disk',
          attributes: { Version: version },
        }));
      await busy.bulk('upsert', items('0'));
      let writing = true;
      const writes = (async () => {
        for (let version = 1; writing; version++) await busy.bulk('upsert', items(String(version)));
      })();
      for (let count = 0; count < 8; count++) {
        const { text } = await exportFile(busy, { body: { columns: ['Version'] } });
        const versions = new Set(text.split('\n').slice(1, -1));
        assert.equal(versions.size, 1, `the export saw ${[...versions].join(', ')} at once`);
      }
      writing = false;
      await writes;
    });

    async function cancel(jobId: string) {
      return shop.ask('POST', `/jobs/${jobId}/actions/cancel`);
    }

    /** A small export, committed; the queue that has it is not served. */
    async function accept(): Promise<string> {
      return acceptExport(shop, { body: { skus: ['first'], gzip: true } });
    }

    function first(jobId: string): OutboxEntry {
      return { queue: 'export', payload: { jobId, dispatch: 1 } };
    }

    async function undisturbed(): Promise<{ messages: number; text: string }> {
      const jobId = await accept();
      const { messages } = await runDoomed(world.services, [first(jobId)], {
        at: Number.MAX_SAFE_INTEGER,
        lose: 'unsent',
      });
      assert.ok(messages > 10);
      return { messages, text: await fileText(jobId) };
    }

    /** Of a job that has ended well: what its file holds. */
    async function fileText(jobId: string): Promise<string> {
      const job = await shop.ask('GET', `/jobs/${jobId}`);
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      assert.equal(job.outputFiles.length, 1);
      return gunzipSync((await shop.download(job.outputFiles[0])).bytes).toString();
    }

    /** Whole files in the store that attempts of a job have written. */
    async function storedOf(jobId: string): Promise<string[]> {
      return (await stored(world)).filter((name) => name.startsWith(jobId));
    }

    async function leavesNothing(jobId: string): Promise<void> {
      await until('nothing is left', async () => (await partsOf(world)) === 0, PROMPTLY_MS);
      assert.deepEqual(await storedOf(jobId), []);
      assert.deepEqual(await world.db('file').where({ job_id: jobId }), []);
    }
  });
});

function stored({ services }: World): Promise<string[]> {
  return storedIn(services.config, 'exports');
}

/** Files that are being written, or were. */
async function partsOf(world: World): Promise<number> {
  return (await stored(world)).filter((name) => name.endsWith(UNFINISHED)).length;
}

/** A store that takes the first bytes of a file and then no more. */
function stuckStore(store: FileStore): { readonly fileStore: FileStore; readonly stuck: Promise<void> } {
  let arrive: () => void = () => undefined;
  const stuck = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const create = async (key: string): Promise<PendingFile> => {
    const pending = await store.create(key);
    const stream = new Writable({ write: () => arrive() });
    return { ...pending, stream };
  };
  return { fileStore: { ...store, create }, stuck };
}
