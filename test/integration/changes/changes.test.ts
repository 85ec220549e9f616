/** What changed: of a job, of an item, and in the feed of a site. */
import assert from 'node:assert/strict';
import { createPartitions } from '../../../src/domain/changes/partitions.js';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { cellsOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];

onOneBackend((backend) => {
  describe('the changes of items', () => {
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl });
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await (await world.newShop()).define({
        attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
        categories: { Disk: ['Title', 'Price'], Tape: ['Title', 'Price'] },
      });
      await shop.bulk('insert', [
        { sku: 'a', nodeName: 'Disk', attributes: { Title: 'One', Price: '5' } },
        { sku: 'b', nodeName: 'Disk', attributes: { Title: 'Two' } },
      ]);
    });
    afterEach(() => assertChangesAddUp(world.db, shop.siteId));

    const short = ({ data }: Body) =>
      data.map(({ sku, operation, row, attributes, fields }: Body) => [sku, operation, row, attributes, fields]);
    const jobOf = async (body: unknown, query = '') => {
      const path = `/api-product/v1/product/bulk/upsert${query}`;
      const { jobId } = (await shop.post(path, body)).body;
      await shop.outcome(jobId);
      return jobId;
    };
    const changesOf = (jobId: string, query = '') => shop.ask('GET', `/jobs/${jobId}/changes${query}`);

    it('of a job are what differs, by row: values before and after, and what is besides', async () => {
      const jobId = await jobOf([
        { sku: 'a', nodeName: 'Tape', attributes: { Price: '6.5' } },
        { sku: 'b', nodeName: 'Disk', attributes: { Title: 'Two' } },
        { sku: 'c', nodeName: 'Disk', attributes: { Title: 'Three' } },
        { sku: 'b', attributes: { Title: null } },
      ]);
      const [disk, tape] = [await shop.category('Disk'), await shop.category('Tape')];
      assert.deepEqual(short(await changesOf(jobId)), [
        ['c', 'CREATED', 3, {}, {}],
        ['a', 'UPDATED', 1, { Price: { before: '5', after: '6.5' } }, { nodeId: { before: disk, after: tape } }],
        ['b', 'UPDATED', 4, { Title: { before: 'Two' } }, {}],
      ]);
      assert.deepEqual(short(await changesOf(jobId, '?attributes=Price,status')), [
        ['a', 'UPDATED', 1, { Price: { before: '5', after: '6.5' } }, { nodeId: { before: disk, after: tape } }],
      ]);
      const first = await changesOf(jobId, '?limit=1');
      assert.deepEqual(short(first), [['c', 'CREATED', 3, {}, {}]]);
      assert.equal((await changesOf(jobId, `?limit=9&after=${first.next}`)).data.length, 2);
    });

    it('name the rows of created items, whether they follow each other or not', async () => {
      const created = (sku: string) => ({ sku, nodeName: 'Disk', attributes: { Title: 'New' } });
      const taken = { sku: 'a', attributes: { Title: 'Taken' } };
      const rowsOf = async (jobId: string, query = '') =>
        short(await changesOf(jobId, `?operations=CREATED${query}`)).map(([sku, , row]: [string, string, number]) => [
          sku,
          row,
        ]);
      for (const [name, rows, expected] of [
        ['follow', ['f1', 'f2', 'f3'].map(created), [1, 2, 3]],
        ['later', [taken, ...['l1', 'l2', 'l3'].map(created)], [2, 3, 4]],
        ['apart', [created('p1'), taken, created('p2'), created('p3')], [1, 3, 4]],
      ] as const) {
        const jobId = await jobOf(rows);
        const skus = rows.map(({ sku }) => sku).filter((sku) => sku !== 'a');
        const all = skus.map((sku, index) => [sku, expected[index]]);
        assert.deepEqual(await rowsOf(jobId), all, name);
        // A page that begins in the middle, and the history of one item.
        const first = await changesOf(jobId, '?operations=CREATED&limit=1');
        assert.deepEqual(await rowsOf(jobId, `&after=${first.next}`), all.slice(1), name);
        for (const [sku, row] of all) {
          const { data } = await shop.ask('GET', `/api-product/v1/product/${sku}/history`);
          assert.deepEqual([data.at(-1).operation, data.at(-1).row], ['CREATED', row], name);
        }
      }
    });

    it('name created items whatever their keys contain', async () => {
      for (const skus of [
        ['{1}', '2,"3"', '4\\', 'NULL', '  5 6\t7'],
        ['8', '9\n10', '11\r'],
      ]) {
        const rows = skus.map((sku) => ({ sku, nodeName: 'Disk', attributes: { Title: 'New' } }));
        const jobId = await jobOf([...rows, { sku: 'a', attributes: { Title: skus[0] } }]);
        assert.deepEqual(
          short(await changesOf(jobId)).map(([sku, , row]: [string, string, number]) => [sku, row]),
          [...skus.map((sku, index) => [sku.trim(), index + 1]), ['a', skus.length + 1]],
        );
        // One that creates alone.
        const other = await jobOf([{ ...rows[0], sku: `${skus[1]}!` }]);
        assert.deepEqual(
          short(await changesOf(other)).map(([sku]: [string]) => sku),
          [`${skus[1]}!`],
        );
      }
    });

    it('of a dry run are what it would have changed, and are in no feed', async () => {
      const { cursor } = await shop.ask('GET', '/changes/cursor');
      const csv = 'SKU,Category Node,Title,Price\na,Disk,One,9\nx,Disk,New,1\n';
      const { id, status } = await shop.importFile('a.csv', csv, { validateOnly: true });
      assert.equal(status, 'COMPLETED');
      assert.deepEqual(short(await changesOf(id)), [
        ['x', 'CREATED', 3, {}, {}],
        ['a', 'UPDATED', 2, { Price: { before: '5', after: '9' } }, {}],
      ]);
      const inline = await jobOf([{ sku: 'a', attributes: { Price: '9' } }], '?validateOnly=true');
      assert.equal((await changesOf(inline)).data.length, 1);
      assert.deepEqual((await shop.ask('GET', `/changes?since=${cursor}`)).data, []);
      assert.equal((await shop.item('a'))?.attributes.Price, '5');
    });

    it('follow each other in the feed, deletions included, and its cursor goes on after them', async () => {
      const { cursor } = await shop.ask('GET', '/changes/cursor');
      const first = await jobOf([{ sku: 'a', attributes: { Price: '7' } }]);
      await shop.call('POST', '/api-product/v1/product/bulk/delete', {
        body: { skus: ['a'] },
        headers: { prefer: 'wait=25' },
      });
      const one = await shop.ask('GET', `/changes?since=${cursor}&limit=1`);
      assert.deepEqual(short(one), [['a', 'UPDATED', 1, { Price: { before: '5', after: '7' } }, {}]]);
      assert.equal(one.data[0].jobId, first);
      assert.match(one.data[0].actor, /^token:/);
      assert.equal(one.more, true);
      const two = await shop.ask('GET', `/changes?since=${one.cursor}`);
      const [deleted] = two.data;
      assert.deepEqual([two.more, two.data.length, deleted.operation], [false, 1, 'DELETED']);
      assert.deepEqual(deleted.attributes, { Title: { before: 'One' }, Price: { before: '7' } });
      assert.deepEqual((await shop.ask('GET', `/changes?since=${two.cursor}`)).data, []);
    });

    it('are the history of an item, newest first, also of one that was deleted and created again', async () => {
      await jobOf([{ sku: 'a', attributes: { Price: '7' } }]);
      const { createdOn } = await shop.ask('GET', '/api-product/v1/product/a');
      await shop.post('/api-product/v1/product/bulk/delete', { skus: ['a'] }, { headers: { prefer: 'wait=25' } });
      await jobOf([{ sku: 'a', nodeName: 'Disk' }]);
      const history = await shop.ask('GET', '/api-product/v1/product/a/history');
      assert.deepEqual(
        history.data.map(({ operation }: Body) => operation),
        ['CREATED', 'DELETED', 'UPDATED', 'CREATED'],
      );
      assert.deepEqual(history.data[1].fields.createdOn, { before: createdOn });
      const page = await shop.ask('GET', '/api-product/v1/product/a/history?limit=3');
      const rest = await shop.ask('GET', `/api-product/v1/product/a/history?limit=3&after=${page.next}`);
      assert.deepEqual([...page.data, ...rest.data], history.data);
    });

    it('of numbers are summed up with the largest first, and by attribute', async () => {
      await jobOf([{ sku: 'b', attributes: { Price: '0' } }]);
      const jobId = await jobOf([
        { sku: 'a', attributes: { Price: '5.5' } },
        { sku: 'b', nodeName: 'Tape', attributes: { Price: '1', Title: null } },
        { sku: 'n', nodeName: 'Disk', attributes: { Price: '1' } },
      ]);
      assert.deepEqual(await shop.ask('GET', `/jobs/${jobId}/changes/summary`), {
        definitions: [],
        operations: { CREATED: 1, UPDATED: 2, DELETED: 0, STATUS: 0 },
        attributes: [
          {
            ...{ name: 'Price', changed: 2, set: 0, cleared: 0 },
            numbers: {
              byMoreThan50Percent: 1,
              largest: [
                { sku: 'b', before: '0', after: '1', percent: null },
                { sku: 'a', before: '5', after: '5.5', percent: 10 },
              ],
            },
          },
          { name: 'Title', changed: 1, set: 0, cleared: 1 },
        ],
        fields: [{ name: 'nodeId', changed: 1, set: 0, cleared: 0 }],
      });
    });

    it('of numbers count as far when they are above a half, however little', async () => {
      await jobOf([
        { sku: 'a', attributes: { Price: '100000' } },
        { sku: 'b', attributes: { Price: '100000' } },
      ]);
      const jobId = await jobOf([
        { sku: 'a', attributes: { Price: '150000' } },
        { sku: 'b', attributes: { Price: '150001' } },
      ]);
      const [{ numbers }] = (await shop.ask('GET', `/jobs/${jobId}/changes/summary`)).attributes;
      assert.equal(numbers.byMoreThan50Percent, 1);
      assert.deepEqual(
        numbers.largest.map(({ sku, percent }: Body) => [sku, percent]),
        [
          ['b', 50],
          ['a', 50],
        ],
      );
    });

    it('of numbers that fell are below 0, and as large as those that rose', async () => {
      await jobOf([{ sku: 'b', attributes: { Price: '-10' } }]);
      const jobId = await jobOf([
        { sku: 'a', attributes: { Price: '1.25' } },
        { sku: 'b', attributes: { Price: '-15' } },
      ]);
      const [{ numbers }] = (await shop.ask('GET', `/jobs/${jobId}/changes/summary`)).attributes;
      assert.equal(numbers.byMoreThan50Percent, 1);
      assert.deepEqual(
        numbers.largest.map(({ sku, percent }: Body) => [sku, percent]),
        [
          ['a', -75],
          ['b', -50],
        ],
      );
    });

    it('are summed up whatever has become of their attributes since', async () => {
      const jobId = await jobOf([{ sku: 'b', attributes: { Title: 'Words' } }]);
      await shop.call('POST', '/api-product/v1/product/bulk/delete', {
        body: { skus: ['a', 'b'] },
        headers: { prefer: 'wait=25' },
      });
      await world.db('attribute').where({ site_id: shop.siteId, name: 'Title' }).update({ type: 'DECIMAL' });
      const { attributes } = await shop.ask('GET', `/jobs/${jobId}/changes/summary`);
      assert.deepEqual(attributes, [{ name: 'Title', changed: 1, set: 0, cleared: 0 }]);
    });

    it('of a job are a file, one row for each value', async () => {
      const jobId = await jobOf([
        { sku: 'a', attributes: { Price: '7', Title: '=1+1' } },
        { sku: 'c', nodeName: 'Disk' },
      ]);
      const csv = await shop.get(`/jobs/${jobId}/changes/download`);
      assert.equal(
        csv.text.replace('\uFEFF', ''),
        "SKU,Operation,Row,Attribute,Before,After\nc,CREATED,2,,,\na,UPDATED,1,Title,One,'=1+1\na,UPDATED,1,Price,5,7\n",
      );
      const { text } = await shop.get(`/jobs/${jobId}/changes/download?format=JSONL&operations=UPDATED`);
      assert.deepEqual(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
        [
          { sku: 'a', operation: 'UPDATED', row: 1, attribute: 'Title', before: 'One', after: '=1+1' },
          { sku: 'a', operation: 'UPDATED', row: 1, attribute: 'Price', before: '5', after: '7' },
        ],
      );
      const workbook = await shop.get(`/jobs/${jobId}/changes/download?format=XLSX`);
      assert.equal(workbook.status, 200);
      // Texts, whatever they begin with; what stands behind the last value is left out.
      assert.deepEqual(await cellsOf(workbook.bytes), [
        ['SKU', 'Operation', 'Row', 'Attribute', 'Before', 'After'],
        ['c', 'CREATED', '2'],
        ['a', 'UPDATED', '1', 'Title', 'One', '=1+1'],
        ['a', 'UPDATED', '1', 'Price', '5', '7'],
      ]);
    });

    it('are waited for: the answer comes with the first change, and without one when the time is over', async () => {
      const { cursor } = await shop.ask('GET', '/changes/cursor');
      const empty = await shop.ask('GET', `/changes?since=${cursor}&wait=1`);
      assert.deepEqual(empty.data, []);
      const waiting = shop.ask('GET', `/changes?since=${empty.cursor}&wait=25`);
      await jobOf([{ sku: 'a', attributes: { Price: '8' } }]);
      assert.deepEqual(short(await waiting), [['a', 'UPDATED', 1, { Price: { before: '5', after: '8' } }, {}]]);
      // Changes that are not asked for do not end the wait.
      const filtered = shop.ask('GET', `/changes?since=${empty.cursor}&wait=25&attributes=Title`);
      await jobOf([{ sku: 'a', attributes: { Title: 'Last' } }]);
      assert.equal((await filtered).data.length, 1);
    });

    it('of one item are found by its key, however it is written', async () => {
      const { cursor } = await shop.ask('GET', '/changes/cursor');
      const jobId = await jobOf([{ sku: 'Caf\u00e9', nodeName: 'Disk' }]);
      const sku = encodeURIComponent(' Cafe\u0301 ');
      for (const path of [`/jobs/${jobId}/changes?sku=${sku}`, `/changes?since=${cursor}&sku=${sku}`])
        assert.deepEqual(short(await shop.ask('GET', path)), [['Caf\u00e9', 'CREATED', 1, {}, {}]], path);
    });

    it('refuse a cursor that is none, and one of a database that was restored since', async () => {
      const { cursor } = await shop.ask('GET', '/changes/cursor');
      const jobId = await jobOf([{ sku: 'a', attributes: { Price: '6' } }]);
      const [epoch, position] = Buffer.from(cursor, 'base64url').toString('latin1').split('-');
      const beyond = Buffer.from(`${epoch}-${position}-9999999999`).toString('base64url');
      for (const path of [
        `/changes?since=${beyond}`,
        `/jobs/${jobId}/changes?after=1.9999999999`,
        '/api-product/v1/product/a/history?after=1.9999999999',
      ])
        assert.equal((await shop.get(path)).status, 400, path);
      assert.deepEqual((await shop.get('/changes?since=abc')).status, 400);
      await world.db('change_feed').where({ site_id: shop.siteId }).update({ epoch: 'restored' });
      const { status, body } = await shop.get(`/changes?since=${cursor}`);
      assert.deepEqual([status, body.errors?.[0]?.code ?? body.code], [410, 'CURSOR_GONE']);
    });

    it('have partitions for some months ahead', async () => {
      await createPartitions(world.db, new Date());
      const { rows } = await world.db.raw(
        "SELECT count(*)::integer AS count FROM pg_inherits WHERE inhparent = 'item_change'::regclass",
      );
      assert.ok(rows[0].count >= 4);
    });
  });
});
