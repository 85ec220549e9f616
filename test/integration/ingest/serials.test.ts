/** Numbers of SERIAL attributes: each given once, and the same whoever applies which row. */
import assert from 'node:assert/strict';
import { type IngestWorld, startIngestWorld } from '../../support/ingest-world.js';
import type { Shop } from '../../support/shop.js';

const SERIAL = { name: 'Number', type: 'SERIAL', serialStart: 100, validation: { incrementBy: 10 } };

describe('SERIAL numbers', () => {
  let world: IngestWorld;
  let shop: Shop;
  before(async () => {
    world = await startIngestWorld({ chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({ attributes: ['Title', SERIAL], categories: { Shirts: ['Title', 'Number'] } });
  });

  const numbers = async (): Promise<Record<string, unknown>> =>
    Object.fromEntries((await shop.items()).map(({ sku, attributes }) => [sku, attributes.Number]));

  it('follow the rows of a request, with gaps where rows fail', async () => {
    await shop.bulk('insert', [
      { sku: 'a', nodeName: 'Shirts' },
      { sku: 'bad', nodeName: 'Nowhere' },
      { sku: 'b', nodeName: 'Shirts' },
    ]);
    assert.deepEqual(await numbers(), { a: 110, b: 130 });
  });

  it('follow the rows of a file, chunks apart', async () => {
    await shop.importFile('items.csv', 'SKU,Category Node\na,Shirts\nb,Shirts\nc,Shirts\nd,Shirts\ne,Shirts');
    assert.deepEqual(await numbers(), { a: 120, b: 130, c: 140, d: 150, e: 160 });
  });

  it('are never given twice, whatever job asks', async () => {
    const rows = (job: number) => [1, 2, 3].map((row) => ({ sku: `${job}-${row}`, nodeName: 'Shirts' }));
    await Promise.all([1, 2, 3, 4, 5].map((job) => shop.bulk('insert', rows(job))));
    const given = Object.values(await numbers());
    assert.equal(given.length, 15);
    assert.equal(new Set(given).size, 15);
  });

  it('stay with an item that is changed', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Shirts' }]);
    await shop.bulk('upsert', [{ sku: 'a', attributes: { Title: 'new' } }]);
    assert.deepEqual(await numbers(), { a: 110 });
  });

  it('that a row brings are kept, and what comes later lies past them', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Shirts', attributes: { Number: 5000 } }]);
    await shop.bulk('insert', [{ sku: 'b', nodeName: 'Shirts' }]);
    const { a, b } = await numbers();
    assert.equal(a, 5000);
    assert.ok(Number(b) > 5000);
  });

  it('are not used up by a dry run that is not carried out', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Shirts' }], { query: 'validateOnly=true' });
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Shirts' }]);
    assert.equal(Object.keys(await numbers()).length, 1);
  });
});
