/**
 * Declares, for catalogs with attributes of every type: what a dry run shows is what happens, a revert gives back the stage byte
 * for byte as it was exported, a revert of the revert what was there after the job, and the change log adds up.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { forEachBackend } from '../../support/for-each-backend.js';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { exportStage } from '../../support/http/stages.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { type RandomCatalog, randomCatalog } from '../../support/models/random-catalog.js';
import { startWorld, type World } from '../../support/worlds/world.js';
import { fill } from '../exports/round-trips.trials.js';

interface EveryTypeTrials {
  /** Trials on each backend. */
  readonly trials: number;
  readonly seed: number;
  /** No trial is begun after this time. */
  readonly mostMs?: number;
  /** On which of the queues' engines. */
  readonly onEngines: typeof forEachBackend;
}

/** What a job does with each item, by the item's index. */
type Choice = 'nothing' | 'values of another' | 'no values' | 'another category' | 'gone';

const CHOICES = ['nothing', 'values of another', 'no values', 'another category', 'gone'] as const;
const KINDS = ['bulk', 'file', 'atomic file', 'deletion', 'whole file'] as const;

const job: fc.Arbitrary<RandomJob> = fc.record({
  kind: fc.constantFrom(...KINDS),
  choices: fc.array(fc.constantFrom<Choice[]>(...CHOICES), { minLength: 12, maxLength: 12 }),
});
const trial = fc.record({ catalog: randomCatalog, jobs: fc.array(job, { minLength: 1, maxLength: 3 }) });
interface RandomJob {
  readonly kind: (typeof KINDS)[number];
  readonly choices: readonly Choice[];
}

const NO_WAIT = { headers: { prefer: 'wait=0' } };

export function describeEveryType({ trials, seed, mostMs = 600_000, onEngines }: EveryTypeTrials): void {
  onEngines((backend) => {
    describe('jobs over attributes of every type', function () {
      this.timeout(mostMs + 120_000);
      let world: World;
      before(async () => {
        world = await startWorld({ redisUrl: backend.redisUrl, chunkRows: 5, workers: true });
      });
      after(() => world.stop());

      it(`do what their dry run shows, and are taken back byte for byte (seed ${seed})`, async () => {
        let changed = 0;
        let tried = 0;
        await fc.assert(
          fc.asyncProperty(trial, async ({ catalog, jobs }) => {
            const shop = await world.newShop();
            await fill(shop, catalog);
            const atFirst = await exported(shop);
            const ids: string[] = [];
            for (const one of jobs) {
              const [shown, made] = [await send(shop, catalog, one, true), await send(shop, catalog, one, false)];
              const changes = await changesOf(shop, made.id);
              assert.deepEqual(made.errors, shown.errors);
              // Its dry run shows what would be written without the rows that fail.
              if (made.status === 'REJECTED') assert.deepEqual(changes, []);
              else assert.deepEqual(changes, await shownBy(shop, shown, made), `the dry run of ${one.kind}`);
              if (changes.length > 0) ids.push(made.id);
            }
            await assertChangesAddUp(world.db, shop.siteId);
            tried++;
            if (ids.length === 0) return;
            changed++;
            const afterwards = await exported(shop);
            const undo = await revert(shop, ids);
            assert.deepEqual(await exported(shop), atFirst, 'a revert gives back what was there');
            await assertChangesAddUp(world.db, shop.siteId);
            if ((await changesOf(shop, undo)).length === 0) return;
            await revert(shop, [undo]);
            assert.deepEqual(await exported(shop), afterwards, 'its revert gives back what the jobs left');
            await assertChangesAddUp(world.db, shop.siteId);
          }),
          { seed, numRuns: trials, interruptAfterTimeLimit: mostMs },
        );
        assert.ok(changed >= tried / 4, `${changed} of ${tried} trials changed something`);
      });
    });
  });
}

async function send(shop: Shop, catalog: RandomCatalog, random: RandomJob, validateOnly: boolean): Promise<Outcome> {
  return shop.outcome(await accept(shop, catalog, random, validateOnly));
}

async function accept(
  shop: Shop,
  catalog: RandomCatalog,
  { kind, choices }: RandomJob,
  validateOnly: boolean,
): Promise<string> {
  const chosen = catalog.items.map((item, index) => ({ item, index, choice: choices[index] ?? 'nothing' }));
  const query = `validateOnly=${validateOnly}`;
  if (kind === 'deletion') {
    const skus = chosen.filter(({ choice }) => choice === 'gone').map(({ item }) => item.sku);
    const path = `/api-product/v1/product/bulk/delete?${query}`;
    return accepted(await shop.post(path, { skus: skus.length === 0 ? ['nobody'] : skus }, NO_WAIT));
  }
  const kept = chosen.filter(({ choice }) => kind !== 'whole file' || choice !== 'gone');
  const rows = kept.map(({ index, choice }) => rowOf(catalog, index, choice));
  if (kind === 'bulk') {
    const body = rows.map(({ attributes, ...row }) => ({
      ...row,
      attributeValues: Object.entries(attributes).map(([name, value]) => ({ name, value })),
    }));
    return accepted(await shop.bulk('upsert', body, { ...NO_WAIT, query }));
  }
  const snapshot = { scope: 'stage', missing: 'delete', maxMissingPercent: 100 };
  const options = {
    validateOnly,
    onError: kind === 'atomic file' ? 'abort' : 'skip',
    ...(kind === 'whole file' && rows.length > 0 ? { snapshot } : {}),
  } as const;
  const lines = rows.length === 0 ? [{ sku: 'nobody' }] : rows;
  return shop.upload('items.jsonl', lines.map((row) => JSON.stringify(row)).join('\n'), options);
}

function accepted({ status, body, text }: Awaited<ReturnType<Shop['call']>>): string {
  assert.equal(status, 202, text);
  return body.jobId;
}

/** The row of an item, which says all that the choice changes. */
function rowOf({ items, attributes, categories }: RandomCatalog, index: number, choice: Choice) {
  const item = items[index] ?? assert.fail();
  const other = items[(index + 1) % items.length] ?? item;
  const values = choice === 'values of another' ? other.values : choice === 'no values' ? {} : item.values;
  const all = attributes.map(({ name }, at) => [name, values[at] ?? null]);
  const moved = choice === 'another category' ? { nodeName: categories[(item.category + 1) % categories.length] } : {};
  return { sku: item.sku, attributes: choice === 'nothing' ? {} : Object.fromEntries(all), ...moved };
}

/** A stage as it is exported, but for the next numbers of SERIAL attributes: one that was given is never given again. */
async function exported(shop: Shop): Promise<object> {
  const { files, manifest } = await exportStage(shop);
  const { createdAt: _, cursor: __, ...rest } = manifest;
  const numbers = 'serials.jsonl';
  const listed = manifest.files.filter(({ name }) => name !== numbers);
  return { ...Object.fromEntries(files), [numbers]: null, 'manifest.json': { ...rest, files: listed } };
}

/** What a job has changed or would change, without when; sorted, because chunks may be cut otherwise. */
async function changesOf(shop: Shop, id: string): Promise<string[]> {
  const { data } = await shop.ask('GET', `/jobs/${id}/changes?limit=1000`);
  return data
    .map(({ kind, sku, operation, row, attributes, fields }: Record<string, unknown>) =>
      JSON.stringify({ kind, sku, operation, row, attributes, fields }),
    )
    .sort();
}

/** What a dry run has shown of another job's changes: what would go is listed, too, where the brake would leave it. */
async function shownBy(shop: Shop, shown: Outcome, made: Outcome): Promise<string[]> {
  const changes = await changesOf(shop, shown.id);
  return made.reason === 'SNAPSHOT_BRAKE' ? changes.filter((change) => !change.includes('"DELETED"')) : changes;
}

/** Takes jobs back, and holds the dry run of it to what happens. @returns the id of the new job */
async function revert(shop: Shop, jobIds: readonly string[]): Promise<string> {
  const take = async (validateOnly: boolean): Promise<string> => {
    const id = accepted(await shop.post('/jobs/actions/revert', { jobIds, validateOnly }, NO_WAIT));
    const { errors, status } = await shop.outcome(id);
    assert.deepEqual([status, errors], ['COMPLETED', []]);
    return id;
  };
  const [shown, made] = [await take(true), await take(false)];
  assert.deepEqual(await changesOf(shop, made), await changesOf(shop, shown), 'what the dry run of a revert has shown');
  return made;
}
