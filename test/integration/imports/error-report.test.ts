/** The report of a job: its summary, its errors page by page, and the result of each of its rows. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the error report', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 50 });
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Stock', type: 'INTEGER' }, { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Stock', 'Price'] },
    });
  });
  after(() => world.stop());

  const HEADER = 'SKU,Category Node,Stock,Price';
  const importRows = (rows: string[]): Promise<Outcome> =>
    shop.importFile('items.csv', [HEADER, ...rows].join('\n'), { mode: 'upsert' });

  describe('the summary', () => {
    it('has one line for one wrong column, however many rows it is wrong in', async () => {
      const rows = Array.from({ length: 400 }, (_, index) => `s${index},Disk,${index % 100 < 2 ? '1' : 'x'},1`);
      const { summary, failed, errors } = await importRows(rows);
      assert.equal(failed, 392);
      assert.equal(errors.length, 392);
      assert.deepEqual(
        summary.map(({ code, path, count, rows: ranges }) => [code, path, count, ranges]),
        [['VALUE_TYPE', 'Stock', 392, '4-101, 104-201, 204-301, 304-401']],
      );
      assert.equal(summary[0]?.example, errors[0]?.message);
    });

    it('groups by code and column, the most frequent first', async () => {
      const { summary } = await importRows([
        't1,Disk,x,y',
        't2,Disk,x,1',
        't3,Nowhere,1,1',
        't4,Disk,x',
        ',Disk,1,1',
        't6,Disk,1.5,1',
        't7,Disk,x,1',
      ]);
      assert.deepEqual(
        summary.map(({ code, path, count, rows }) => [code, path, count, rows]),
        [
          ['VALUE_TYPE', 'Stock', 4, '2-3, 7-8'],
          ['VALUE_TYPE', 'Price', 1, '2'],
          ['NODE_NOT_FOUND', 'Category Node', 1, '4'],
          ['ROW_FIELD_COUNT', null, 1, '5'],
          ['SKU_REQUIRED', 'SKU', 1, '6'],
        ],
      );
    });

    it('names twenty ranges and says that there are more', async () => {
      const rows = Array.from({ length: 60 }, (_, index) => `u${index},Disk,${index % 2 === 0 ? 'x' : '1'},1`);
      const { summary } = await importRows(rows);
      assert.equal(summary[0]?.count, 30);
      assert.match(summary[0]?.rows ?? '', /^2, 4, .*, 40, …$/);
      assert.equal(summary[0]?.rows.split(', ').length, 21);
    });

    it('is empty when nothing failed', async () => {
      const { summary, errors } = await importRows(['v1,Disk,1,1']);
      assert.deepEqual([summary, errors], [[], []]);
    });
  });

  describe('the pages of errors', () => {
    let jobId: string;
    before(async () => {
      const rows = Array.from({ length: 30 }, (_, index) => `w${index},Disk,x,${index % 3 === 0 ? 'y' : '1'}`);
      jobId = (await importRows(rows)).id;
    });
    const page = (query: string) => shop.ask('GET', `/jobs/${jobId}/errors?${query}`);

    it('go by row, and break between two errors of one row', async () => {
      const whole = await page('limit=1000');
      assert.equal(whole.count, 40);
      assert.equal(whole.next, undefined);
      for (const limit of [1, 3, 39, 40]) {
        const seen: unknown[] = [];
        let after = '';
        for (let pages = 0; pages < 50; pages++) {
          const { data, next, count } = await page(`limit=${limit}${after}`);
          assert.ok(data.length <= limit && count === 40);
          seen.push(...data);
          if (next === undefined) break;
          after = `&after=${next}`;
        }
        assert.deepEqual(seen, whole.data);
      }
    });

    it('begin behind a row that is named', async () => {
      const { data } = await page('after=29&limit=10');
      assert.deepEqual(
        data.map(({ row }: { row: number }) => row),
        [29 + 1, 31],
      );
    });

    it('show the row, the key, the column, the code, the message and the value', async () => {
      const { data } = await page('limit=1');
      assert.deepEqual(data, [
        {
          row: 2,
          key: 'w0',
          column: 'Stock',
          code: 'VALUE_TYPE',
          message: data[0].message,
          value: 'x',
        },
      ]);
    });

    it('refuse a limit or a cursor that is none', async () => {
      for (const query of ['limit=0', 'limit=1001', 'limit=x', 'after=x', 'after=1.2.3', 'after=-1']) {
        const { status, body } = await shop.call('GET', `/jobs/${jobId}/errors?${query}`);
        assert.deepEqual([status, body.type], [400, 'CLIENT_ERROR'], query);
      }
    });
  });

  describe('the result of each row', () => {
    const rowsOf = async (jobId: string, limit: number) => {
      const success: { sku: string; message: string; itemId: string | null }[] = [];
      const failed: { index: number; sku: string | null; code: string }[] = [];
      let count = 0;
      for (let offset = 0; offset === 0 || offset < count; offset += limit) {
        const body = await shop.result(jobId, `offset=${offset}&limit=${limit}`);
        assert.ok(body.success.length + body.failed.length <= limit);
        assert.deepEqual([body.offset, body.limit], [offset, limit]);
        success.push(...body.success);
        failed.push(...body.failed);
        ({ count } = body);
      }
      return { success, failed, count };
    };
    const skus = (prefix: string) => Array.from({ length: 130 }, (_, index) => `${prefix}${index}`);
    const elements = (prefix: string) =>
      skus(prefix).map((sku, index) => ({
        sku,
        nodeName: 'Disk',
        attributes: { Stock: index % 10 === 9 ? 'x' : index },
      }));

    const INPUTS: [string, (prefix: string) => string | Buffer][] = [
      ['x.csv', (p) => [HEADER, ...skus(p).map((sku, i) => `${sku},Disk,${i % 10 === 9 ? 'x' : i},\n`)].join('\n')],
      ['x.json', (p) => JSON.stringify(elements(p))],
      [
        'x.jsonl',
        (p) =>
          elements(p)
            .map((element) => JSON.stringify(element))
            .join('\n\n'),
      ],
      [
        'x.jsonl.gz',
        (p) =>
          gzipSync(
            elements(p)
              .map((element) => JSON.stringify(element))
              .join('\n'),
          ),
      ],
      [
        'x.tsv',
        (p) =>
          Buffer.from(
            `\ufeffSKU\tCategory Node\tStock\n${skus(p)
              .map((sku, i) => `${sku}\tDisk\t${i % 10 === 9 ? 'x' : i}`)
              .join('\n')}`,
            'utf16le',
          ),
      ],
    ];
    for (const [index, [name, content]] of INPUTS.entries()) {
      it(`of ${name} is paged across chunks`, async () => {
        const prefix = String.fromCharCode(97 + index);
        const { id } = await shop.importFile(name, content(prefix));
        for (const limit of [7, 64, 1000]) {
          const { success, failed, count } = await rowsOf(id, limit);
          assert.equal(count, 130);
          assert.deepEqual(
            success.map(({ sku }) => sku),
            skus(prefix).filter((_, at) => at % 10 !== 9),
          );
          assert.deepEqual(
            failed.map(({ index: at, sku, code }) => [at, sku, code]),
            [9, 19, 29, 39, 49, 59, 69, 79, 89, 99, 109, 119, 129].map((at) => [at, `${prefix}${at}`, 'VALUE_TYPE']),
          );
          assert.ok(success.every(({ itemId }) => /^[0-9a-f]{24}$/.test(itemId ?? '')));
        }
      });
    }

    it('of a request is what Prefer: wait answered', async () => {
      const { body } = await shop.bulk('upsert', elements('r'));
      const { success, failed, itemIds, jobId } = await shop.result(body.jobId);
      assert.deepEqual({ jobId, success, failed, itemIds }, body);
    });

    it('tells keys as they are stored, and null where there is none', async () => {
      const { body } = await shop.bulk('upsert', [
        { sku: ' Zu\u0308 ', nodeName: 'Disk' },
        { name: 'no sku' },
        'text',
        { sku: 5 },
      ]);
      assert.deepEqual([body.success[0].sku, body.success[0].itemId.length], ['Zü', 24]);
      assert.deepEqual(
        body.failed.map(({ sku }: { sku: string }) => sku),
        [null, null, null],
      );
    });

    it('is there whatever became of the definitions since', async () => {
      const { id } = await shop.importFile('y.csv', `${HEADER}\ny1,Disk,1,1\n`);
      const { body } = await shop.bulk('upsert', [{ sku: 'y2', nodeName: 'Disk' }]);
      await shop.category('Tape', ['Title']);
      await world.db('definition_snapshot').where({ site_id: shop.siteId }).delete();
      assert.equal((await shop.result(id)).success[0].sku, 'y1');
      assert.equal((await shop.result(body.jobId)).success[0].sku, 'y2');
    });

    it('of a file that is no longer kept is gone, not broken', async () => {
      const { id } = await shop.importFile('z.json', JSON.stringify([{ sku: 'z1', nodeName: 'Disk' }]));
      await world.api.services.fileStore.remove(`spools/${id}`);
      const { status, body } = await shop.call('GET', `/jobs/${id}/result`);
      assert.equal(status, 410);
      assert.match(body.message, /no longer kept/);
    });

    it('is told when the job has ended', async () => {
      const { id, jobId } = await shop.ask('POST', '/files/product', {
        body: { fileName: 'never.csv', fileType: 'ITEM_IMPORT' },
      });
      const { status, body } = await shop.call('GET', `/jobs/${jobId}/result`);
      assert.deepEqual([status, body.type], [409, 'CONFLICT']);
      assert.match(body.message, /AWAITING_UPLOAD/);
      assert.ok(id);
    });
  });
});
