/** Workers that are killed while a file is imported by a profile: others go on, and no row is lost or applied twice. */
import assert from 'node:assert/strict';
import { Transform } from 'node:stream';
import { spoolKey } from '../../../src/domain/imports/model/spool-key.js';
import type { FileStore } from '../../../src/platform/file-store.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, runStep, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import type { Shop } from '../../support/http/shop.js';
import { defineGermanShop, germanFile, germanProfile } from '../../support/models/german-shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const ROWS = 60;
/** Every so many messages to the database one is the last, lost and unanswered in turn. */
const STEP = 19;

describe('a worker that is killed while it imports a file by a profile', function () {
  this.timeout(240_000);
  let world: World;
  let bytes: Buffer;
  const PROFILE = { name: 'ERP', version: 3, document: germanProfile() };
  before(async () => {
    world = await startWorld({ chunkRows: 20 });
    await world.startWorkers({}, BULK_ONLY);
    ({ bytes } = await germanFile(ROWS));
  });
  after(() => world.stop());

  const accept = (shop: Shop, onError: 'skip' | 'abort' = 'skip') =>
    world.acceptFile(shop, 'shop.csv', bytes, 'upsert', { profile: PROFILE, onError });
  const recover = () => reconcile({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });

  it('leaves it to others, which apply each row once and write the same error file', async () => {
    const whole = await defineGermanShop(await world.newShop());
    const undisturbed = await accept(whole);
    const never = { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' } as const;
    const { messages } = await runDoomed(world.services, undisturbed.outboxEntries, never);
    const expected = await state(whole, undisturbed.jobId);
    assert.equal(expected.job.status, 'COMPLETED_PARTIALLY');
    assert.equal(expected.skus.length, expected.job.created);
    for (let at = 1, kills = 0; at <= messages; at += STEP, kills++) {
      const shop = await defineGermanShop(await world.newShop());
      const { jobId, outboxEntries } = await accept(shop);
      const lose = kills % 2 === 0 ? 'unsent' : 'unanswered';
      const { cut } = await runDoomed(world.services, outboxEntries, { at, lose });
      assert.ok(cut, `message ${at} was never sent`);
      await untilDoomedIsGone(world.db);
      await recover();
      await shop.outcome(jobId);
      assert.deepEqual(await state(shop, jobId), expected, `killed at message ${at} of ${messages}`);
    }
  });

  it('leaves no part of the copy of the rows when it ends while it writes it', async () => {
    const shop = await defineGermanShop(await world.newShop());
    const { jobId, outboxEntries } = await accept(shop);
    const failing = { ...world.services, fileStore: failingIn(world.services.fileStore, spoolKey(jobId)) };
    const [plan] = outboxEntries;
    assert.ok(plan !== undefined);
    await assert.rejects(runStep(failing, plan), /the disk is gone/);
    assert.equal(await world.services.fileStore.size(spoolKey(jobId)), null);
    assert.equal((await world.db('job_chunk').where({ job_id: jobId })).length, 0);
    await recover();
    const done = await shop.outcome(jobId);
    assert.equal(done.total, ROWS);
    assert.equal((await shop.items()).length, done.created);
  });

  /** What there is of a shop, and what its job says. */
  async function state(shop: Shop, jobId: string) {
    const { created, failed, status, errors, errorFile } = await shop.outcome(jobId);
    const { profile } = await shop.ask('GET', `/jobs/${jobId}`);
    const text = (await shop.download(errorFile ?? '')).bytes.toString('latin1').replaceAll(jobId, 'JOB');
    const skus = (await shop.items()).map(({ sku }) => sku);
    return { job: { created, failed, status, profile }, errors, text, skus };
  }
});

/** A store in which the file with this key cannot be written to its end. */
function failingIn(fileStore: FileStore, failingKey: string): FileStore {
  return {
    ...fileStore,
    create: async (key) => {
      const pending = await fileStore.create(key);
      if (key !== failingKey) return pending;
      const stream = new Transform({
        transform: (block: Buffer, _encoding, done) => {
          pending.stream.write(block.subarray(0, block.length / 2));
          done(new Error('the disk is gone'));
        },
      });
      return { ...pending, stream, commit: () => pending.commit(), discard: () => pending.discard() };
    },
  };
}
