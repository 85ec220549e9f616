/** What files that are the whole truth leave of items that others need: parents of variants, and parts of bundles. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORIES = ['A', 'B'] as const;
const PARENTS = ['p0', 'p1', 'p2', 'p3'] as const;
const VARIANTS = ['v0', 'v1', 'v2', 'v3', 'v4'] as const;
const BUNDLES = ['b0', 'b1'] as const;
const CHANNELS = [undefined, [1], [1, 2], [2]] as const;

const category = fc.constantFrom(...CATEGORIES);
const story = fc.record({
  parents: fc.tuple(...PARENTS.map(() => fc.record({ category, channels: fc.constantFrom(...CHANNELS) }))),
  /** The parent of each, or none. */
  variants: fc.tuple(...VARIANTS.map(() => fc.record({ category, parent: fc.constantFrom(null, ...PARENTS) }))),
  parts: fc.tuple(...BUNDLES.map(() => fc.subarray([...PARENTS, ...VARIANTS], { minLength: 1, maxLength: 3 }))),
  given: fc.subarray([...PARENTS, ...VARIANTS], { minLength: 1 }),
  scope: fc.oneof(fc.constant('stage' as const), fc.record({ category })),
  channel: fc.constantFrom(undefined, 1, 2),
  maxMissingPercent: fc.constantFrom(0, 25, 50, 100, 100),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

describe('files that are the whole truth, of a stage with variants, bundles and channels', function () {
  this.timeout(180_000);
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());

  it('remove what a model says, and keep what something needs that stays', async () => {
    const shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { A: ['Title'], B: ['Title'] } });
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        await empty(world, shop);
        const created = await shop.bulk('upsert', rowsOf(told));
        assert.deepEqual(created.body.failed, [], created.text);
        const { said, left } = expected(told);
        const file = ['SKU,Title', ...told.given.map((sku) => `${sku},`)].join('\n');
        const { scope, maxMissingPercent, channel } = told;
        const snapshot = { scope, missing: 'delete', maxMissingPercent };
        const id = await shop.upload('truth.csv', `${file}\n`, { mode: 'upsert', snapshot }, inChannel(channel));
        const { status, reason, failed } = await shop.outcome(id);
        const { removal } = await shop.ask('GET', `/jobs/${id}`);
        const { inScope, missing, removed, kept, stopped } = removal;
        assert.deepEqual({ status, reason, failed, inScope, missing, removed, kept, stopped }, { ...said, failed: 0 });
        assert.deepEqual((await shop.items()).map(({ sku }) => sku).sort(), left);
        await assertChangesAddUp(world.db, shop.siteId);
      }),
      { seed: 230, numRuns: 25, interruptAfterTimeLimit: 90_000 },
    );
  });
});

function inChannel(channel: number | undefined) {
  return channel === undefined ? {} : { context: { channel } };
}

async function empty(world: World, { siteId }: Shop): Promise<void> {
  for (const table of ['bundle_item', 'item', 'change_set', 'item_change'])
    await world.db(table).where({ site_id: siteId }).delete();
}

function rowsOf({ parents, variants, parts }: Story) {
  return [
    ...parents.map(({ category: nodeName, channels }, nth) => ({
      ...{ sku: PARENTS[nth], nodeName },
      ...(channels === undefined ? {} : { channels: [...channels] }),
    })),
    ...variants.map(({ category: nodeName, parent }, nth) => ({
      sku: VARIANTS[nth],
      ...(parent === null ? { nodeName } : { nodeName: parents[PARENTS.indexOf(parent)]?.category, parentSku: parent }),
    })),
    ...parts.map((skus, nth) => ({
      ...{ sku: BUNDLES[nth], type: 'BUNDLE', nodeName: 'A' },
      bundleItems: skus.map((sku) => ({ sku, quantity: 1 })),
    })),
  ];
}

/** The model. Bundles are no items of such a file: they stay, and hold their parts. */
function expected({ parents, variants, parts, given, scope, channel, maxMissingPercent }: Story) {
  const own = new Map(
    PARENTS.map((sku, nth) => [sku as string, { ...parents[nth], parent: null as string | null }] as const),
  );
  const all = new Map(own);
  for (const [nth, sku] of VARIANTS.entries()) {
    const { parent = null, category: ofVariant = 'A' } = variants[nth] ?? {};
    const of = parent === null ? undefined : own.get(parent);
    all.set(sku, { category: of?.category ?? ofVariant, channels: undefined, parent });
  }
  const isGiven = (sku: string) => given.some((one) => one === sku);
  const inScope = [...all].filter(([sku, { category: at, channels }]) => {
    // What a row of a channel names belongs to that channel from then on.
    const isIn = isGiven(sku) || channels?.some((one) => one === channel);
    const isVisible = channel === undefined || channels === undefined || isIn;
    return isVisible && (scope === 'stage' || scope.category === at);
  });
  const missing = inScope.map(([sku]) => sku).filter((sku) => !isGiven(sku));
  const going = new Set(missing);
  for (let before = -1; before !== going.size; ) {
    before = going.size;
    for (const [sku, { parent }] of all) if (parent !== null && !going.has(sku)) going.delete(parent);
    for (const sku of parts.flat()) going.delete(sku);
  }
  const stopped = going.size > 0 && going.size * 100 > maxMissingPercent * inScope.length;
  const kept = missing.length - going.size;
  const left = [...all.keys(), ...BUNDLES].filter((sku) => stopped || !going.has(sku)).sort();
  const said = {
    status: stopped || kept > 0 ? 'COMPLETED_PARTIALLY' : 'COMPLETED',
    ...{ reason: stopped ? 'SNAPSHOT_BRAKE' : null, inScope: inScope.length, missing: missing.length },
    ...{ removed: stopped ? 0 : going.size, kept, stopped },
  };
  return { said, left };
}
