/** Workers that are killed while an import creates what is missing: others go on, and it is created once. */
import assert from 'node:assert/strict';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import type { Shop } from '../../support/http/shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const CSV = `SKU;Category Node;Title;Price
a;Bikes->E-Bikes;Alpha;1950.27
b;Bikes->E-Bikes;Beta;12.5
c;Helmets;Gamma;49
d;Helmets;Delta;5
`;
const OPTIONS = {
  createMissing: { attributes: true, options: false, categories: true, assignments: true },
  missing: {
    attributes: [
      { name: 'Title', type: 'TEXT' },
      { name: 'Price', type: 'DECIMAL' },
    ],
    options: [],
    categories: ['Bikes->E-Bikes', 'Helmets'],
    assignments: [
      { category: 'Bikes->E-Bikes', attributes: ['Title', 'Price'] },
      { category: 'Helmets', attributes: ['Title', 'Price'] },
    ],
  },
} as const;
const CREATED = { attributes: 2, options: 0, categories: 3, assignments: 4 };
/** Every so many messages to the database one is the last, lost and unanswered in turn. */
const STEP = 7;

describe('a worker that is killed while its job creates what is missing', function () {
  this.timeout(180_000);
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.startWorkers({}, BULK_ONLY);
  });
  after(() => world.stop());

  for (const onError of ['skip', 'abort'] as const) {
    it(`leaves it to others, which create it once and apply all rows, with onError ${onError}`, async () => {
      const accept = (shop: Shop) => world.acceptFile(shop, 'x.csv', CSV, 'upsert', { ...OPTIONS, onError });
      const whole = await world.newShop();
      const undisturbed = await accept(whole);
      const never = { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' } as const;
      const { messages } = await runDoomed(world.services, undisturbed.outboxEntries, never);
      const expected = await state(whole, undisturbed.jobId);
      assert.deepEqual(expected.job, ['COMPLETED', 4, CREATED]);
      const between = new Set<number>();
      for (let at = 1, kills = 0; at <= messages; at += STEP, kills++) {
        const shop = await world.newShop();
        const { jobId, outboxEntries } = await accept(shop);
        const lose = kills % 2 === 0 ? 'unsent' : 'unanswered';
        const { cut } = await runDoomed(world.services, outboxEntries, { at, lose });
        assert.ok(cut, `message ${at} was never sent`);
        await untilDoomedIsGone(world.db);
        const { attributes, items } = await state(shop, jobId);
        // Both or neither where one transaction writes both; the definitions first where they have one of their own.
        if (attributes.length > 0 && items.length < 4) between.add(at);
        await reconcile({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });
        await shop.outcome(jobId);
        assert.deepEqual(await state(shop, jobId), expected, `killed at message ${at} of ${messages}`);
      }
      assert.equal(between.size > 0, onError === 'skip', `killed between definitions and rows: ${between.size} times`);
    });
  }

  /** What there is of a shop, and what its job says. */
  async function state({ siteId }: Shop, jobId: string) {
    const of = (table: string) => world.db(table).where({ site_id: siteId });
    const job = await world.db('job').where({ id: jobId }).first('status', 'created_count', 'options');
    return {
      attributes: await of('attribute').orderBy('position').pluck('name'),
      categories: await of('category').orderBy('node_id').select('name', 'node_id'),
      assignments: (await world.db('category_attribute').whereIn('category_id', of('category').select('id'))).length,
      items: await of('item').orderBy('sku').pluck('sku'),
      version: (await world.db('site').where({ id: siteId }).first('definitions_version')).definitions_version,
      job: [job.status, job.created_count, job.options.created],
    };
  }
});
