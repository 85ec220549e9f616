/** Promotions and reverts of more items than are applied at once, which refer to each other across the parts. */
import assert from 'node:assert/strict';
import type { Answer } from '../../support/http/call-api.js';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { contentOf, exportStage } from '../../support/http/stages.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
const WAIT = { prefer: 'wait=25' };
const STAGING: CallOptions['context'] = { stage: 'staging' };
/** More than the first part of a chunk, and than the first two. */
const VARIANTS = 1_100;

describe('promotions of items that refer to others far behind them', function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 5_000 });
    shop = await world.newShop();
    await fill(undefined, 'old', ['code 2', 'code 1']);
    await fill(STAGING, 'new', ['code 1', 'code 2']);
    const parent = { sku: 'z parent', nodeName: 'Disk', attributes: { Title: 'Parent' } };
    const variants = Array.from({ length: VARIANTS }, (_, n) => ({
      ...{ sku: `v ${String(n).padStart(4, '0')}`, nodeName: 'Disk', parentSku: parent.sku },
      attributes: { Title: `Variant ${n}` },
    }));
    const bundleItems = [{ sku: parent.sku, quantity: 2 }];
    await bulk([parent, ...variants, { sku: 'b kit', nodeName: 'Disk', type: 'BUNDLE', bundleItems }], STAGING);
  });
  after(() => world.stop());

  it('make the stages equal, and their revert takes all of it back', async () => {
    const before = contentOf(await exportStage(shop));
    const source = contentOf(await exportStage(shop, STAGING));
    const found = await run('/jobs/site/actions/compare', { with: 'staging' });
    // All of the source differs; the target has nothing else.
    assert.equal(found.progressTracker.totalCount, VARIANTS + 4);
    const { id: promoted } = await run('/jobs/site/actions/promote', { compareJobId: found.id });
    assert.deepEqual(await shop.errors(promoted), []);
    assert.deepEqual(itemsOf(contentOf(await exportStage(shop))), itemsOf(source));
    const { id: reverted } = await run(`/jobs/${promoted}/actions/revert`, {});
    assert.deepEqual(await shop.errors(reverted), []);
    assert.deepEqual(contentOf(await exportStage(shop)), before);
    await assertChangesAddUp(world.db, shop.siteId);
  });

  const itemsOf = (content: object): unknown => Object.entries(content).find(([name]) => name === 'items.jsonl');

  /** The first item and the last one have each other's unique value in the other stage. */
  async function fill(context: CallOptions['context'], title: string, [first, last]: readonly [string, string]) {
    const elements = [
      { name: 'Title', type: 'TEXT' },
      { name: 'Code', type: 'TEXT', validation: { unique: true } },
    ];
    await send('/api-product/v1/product/attribute/bulk', elements, context);
    const itemAttributes = [{ name: 'Title' }, { name: 'Code' }];
    await send('/api-category/v1/category/bulk/upsert', [{ path: 'Disk', itemAttributes }], context);
    await bulk(
      [
        { sku: 'a first', nodeName: 'Disk', attributes: { Title: title, Code: first } },
        { sku: 'zz last', nodeName: 'Disk', attributes: { Title: title, Code: last } },
      ],
      context,
    );
  }

  const bulk = (rows: readonly unknown[], context: CallOptions['context']) =>
    send('/api-product/v1/product/bulk/upsert', rows, context);
  const run = async (path: string, body: unknown): Promise<Body> => {
    const job = await send(path, body);
    assert.equal(job.status, 'COMPLETED', JSON.stringify([job, await shop.errors(job.id)]));
    return job;
  };
  async function send(path: string, body: unknown, context?: CallOptions['context']): Promise<Body> {
    const options = { body, headers: WAIT, ...(context ? { context } : {}) };
    const answer = await shop.call('POST', path, options);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  }
});
