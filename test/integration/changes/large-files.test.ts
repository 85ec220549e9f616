/** Files of what a job has changed: how many rows they have, and that one which no sheet holds is refused before it begins. */
import assert from 'node:assert/strict';
import { requireSheetHolds } from '../../../src/domain/catalog/items/change-rows.js';
import { MAX_SHEET_ROWS } from '../../../src/domain/formats/xlsx/cell.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('a file of what a job has changed', () => {
  let world: World;
  let shop: Shop;
  let jobId: string;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Price'], Tape: ['Title', 'Price'] },
    });
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk', attributes: { Title: 'One', Price: '5' } }]);
    const rows = [
      { sku: 'a', nodeName: 'Tape', attributes: { Title: 'Two', Price: '6' } },
      { sku: 'b', nodeName: 'Disk', attributes: { Title: 'New' } },
      { sku: 'c', nodeName: 'Disk' },
    ];
    ({ jobId } = (await shop.post('/api-product/v1/product/bulk/upsert', rows)).body);
    await shop.outcome(jobId);
  });
  after(() => world.stop());

  const download = (query: string) => shop.get(`/jobs/${jobId}/changes/download?${query}`);

  it('has as many rows as are counted before it is written', async () => {
    const filters = [
      ['', {}, 5],
      ['&operations=CREATED', { operations: ['CREATED'] }, 2],
      ['&operations=UPDATED', { operations: ['UPDATED'] }, 3],
      ['&sku=b', { sku: 'b' }, 1],
      ['&sku=z', { sku: 'z' }, 0],
    ] as const;
    for (const [query, filter, expected] of filters) {
      const { text } = await download(`format=JSONL${query}`);
      assert.equal(text.split('\n').length - 1, expected, query);
      await requireSheetHolds(world.db, shop.siteId, jobId, filter, expected);
      await assert.rejects(
        requireSheetHolds(world.db, shop.siteId, jobId, filter, expected - 1),
        { code: 'TOO_MANY_ROWS' },
        query,
      );
    }
  });

  it('that no sheet holds is refused, with the number of its rows and the formats that hold them', async () => {
    assert.equal((await download('format=XLSX')).status, 200);
    await world.db.raw(
      `INSERT INTO change_set (site_id, job_id, created, created_rows)
       VALUES (?, ?, array_fill('many'::text, ARRAY[?::integer]), '{}')`,
      [shop.siteId, jobId, MAX_SHEET_ROWS - 5],
    );
    const { status, body } = await download('format=XLSX');
    assert.equal(status, 400);
    assert.match(body.message, /1,048,576 rows.*1,048,575.*CSV or JSONL/);
    assert.equal((await download('format=XLSX&operations=UPDATED')).status, 200, 'a part of it that a sheet holds');
  });
});
