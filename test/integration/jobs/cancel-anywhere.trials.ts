/** Declares that a job may be cancelled at any moment, in every mode: its counts add up, and nothing of it is half done. */
import assert from 'node:assert/strict';
import type { ImportOptions } from '../../../src/domain/imports/model/import-options.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop, WriteMode } from '../../support/http/shop.js';
import { pick, seededRandom } from '../../support/models/random.js';
import { until } from '../../support/until.js';
import { type Accepted, BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const ROWS = 40;
const WITHIN_MS = 20_000;

interface Mode {
  readonly options: Partial<ImportOptions>;
  /** Whether rows that were applied before the cancellation stay. */
  readonly stays: boolean;
  readonly tries: boolean;
}

const MODES: Readonly<Record<string, Mode>> = {
  'is applied as it comes': { options: {}, stays: true, tries: false },
  'is all or nothing': { options: { onError: 'abort' }, stays: false, tries: false },
  'is a dry run': { options: { validateOnly: true }, stays: false, tries: true },
};

/** @param trials on each backend, of each mode */
export function runCancelTrials(trials: number): void {
  forEachBackend((backend) => {
    let world: World;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      await world.startWorkers({}, BULK_ONLY);
    });
    after(() => world.stop());

    for (const [name, mode] of Object.entries(MODES)) {
      it(`that ${name}, at ${trials} random moments`, async () => {
        const seed = Date.now() % 1_000_000;
        const random = seededRandom(seed);
        for (let trial = 0; trial < trials; trial++) {
          const shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
          await runTrial(world, shop, mode, random, `seed ${seed}, trial ${trial}`);
        }
      });
    }
  });
}

async function runTrial(world: World, shop: Shop, mode: Mode, random: () => number, trial: string): Promise<void> {
  const bad = mode.stays || mode.tries || random() < 0.3;
  const skus = Array.from({ length: ROWS }, (_, at) => (bad && at % 9 === 5 ? '' : `s${at}`));
  const written = pick<WriteMode>(random, ['insert', 'upsert']);
  const job = await world.acceptFile(shop, 'many.csv', csv(skus), written, mode.options);
  const moment = Math.floor(random() * (ROWS + 5)) - 3;
  await enqueueEntries(world.services.producer, job.outboxEntries, world.services.logger);
  await until('the moment has come', async () => (await seen(shop, job)) >= moment, WITHIN_MS);
  const answer = await shop.call('POST', `/jobs/${job.jobId}/actions/cancel`);

  const { status, total, created, updated, unchanged, failed, errors } = await shop.outcome(job.jobId);
  const cancelled = status === 'CANCELLED';
  assert.equal(answer.status, cancelled ? 200 : 409, trial);
  const items = await shop.items();
  const variants = items.filter(({ parentSku }) => parentSku !== null);
  if (!mode.tries) assert.equal(created, items.length, trial);
  if (mode.tries || (cancelled && !mode.stays)) assert.equal(items.length, 0, trial);
  if (cancelled && !mode.stays) assert.deepEqual([created, updated, unchanged], [0, 0, 0], trial);
  if (!cancelled && status === 'COMPLETED' && !mode.tries) assert.equal(variants.length, VARIANTS, trial);
  assert.equal(new Set(errors.map(({ row }) => row)).size, failed, trial);
  // The result tells of each row: applied, failed, or not applied.
  const result = await shop.result(job.jobId);
  assert.equal(result.success.length, created + updated + unchanged, trial);
  const notApplied = result.failed.filter(({ code }: { code: string }) => code === 'NOT_APPLIED');
  assert.equal(result.failed.length - notApplied.length, failed, trial);
  if (result.count > 0) assert.equal(result.success.length + result.failed.length, total, trial);
}

/** Rows that are judged; -2 before the job has begun, -1 while it is planned, more than there are when it has ended. */
async function seen(shop: Shop, { jobId }: Accepted): Promise<number> {
  const { completedAt, startedAt, progressTracker: tracker } = await shop.ask('GET', `/jobs/${jobId}`);
  if (completedAt !== null) return ROWS * 2;
  if (startedAt === null) return -2;
  return tracker.totalCount === null ? -1 : tracker.processedCount;
}

const VARIANTS = 4;

/** The last rows are variants of the first. */
function csv(skus: readonly string[]): string {
  const lines = skus.map((sku, at) => `${sku},Disk,${at >= skus.length - VARIANTS ? skus[0] : ''},T\n`);
  return `SKU,Category Node,Parent SKU,Title\n${lines.join('')}`;
}
