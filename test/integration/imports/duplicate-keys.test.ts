/** A key counts once in a job, whichever chunk its rows lie in. */
import assert from 'node:assert/strict';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('rows that share a key', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  });

  const csv = (...rows: readonly (readonly [sku: string, title: string])[]) =>
    `SKU,Category Node,Title\n${rows.map(([sku, title]) => `${sku},Disk,${title}\n`).join('')}`;
  const DUPLICATE = (row: number) => [row, 'SKU', 'SKU_DUPLICATE_IN_REQUEST'];
  const assertSaid = (outcome: Outcome, row: number, standing: number, rule: RegExp) => {
    const message = outcome.errors.find((error) => error.row === row)?.message ?? '';
    assert.match(message, new RegExp(`\\brow ${standing}\\b`));
    assert.match(message, rule);
  };

  it('upsert: the last stands, and the others name it', async () => {
    const rows = csv(['a', 'first'], ['b', 'b'], ['c', 'c'], ['a', 'second'], ['d', 'd'], ['a', 'third'], ['e', 'e']);
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(places(outcome), [DUPLICATE(2), DUPLICATE(5)]);
    assert.deepEqual([outcome.total, outcome.created, outcome.failed], [7, 5, 2]);
    for (const row of [2, 5]) assertSaid(outcome, row, 7, /the last row with a key wins/);
    assert.equal((await shop.item('a'))?.attributes.Title, 'third');
  });

  it('update: the last stands', async () => {
    await shop.importFile('items.csv', csv(['a', 'old']));
    const outcome = await shop.importFile('items.csv', 'SKU,Title\na,1\na,2\na,3\n', { mode: 'update' });
    assert.deepEqual(places(outcome), [DUPLICATE(2), DUPLICATE(3)]);
    assert.deepEqual(await shop.values('Title'), { a: '3' });
  });

  it('insert: the first stands', async () => {
    const rows = csv(['a', 'first'], ['b', 'b'], ['c', 'c'], ['a', 'second'], ['a', 'third']);
    const outcome = await shop.importFile('items.csv', rows, { mode: 'insert' });
    assert.deepEqual(places(outcome), [DUPLICATE(5), DUPLICATE(6)]);
    for (const row of [5, 6]) assertSaid(outcome, row, 2, /the first row with a key wins/);
    assert.equal((await shop.item('a'))?.attributes.Title, 'first');
  });

  it('when the row that wins fails, all rows of its key say so and are in the error file, across chunks', async () => {
    const rows =
      'SKU,Category Node,Title\na,Disk,good\nb,Disk,1\nb,Disk,2\nc,Disk,c\na,Disk,also good\na,Nowhere,bad\n';
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(places(outcome), [
      DUPLICATE(2),
      DUPLICATE(3),
      DUPLICATE(6),
      [7, 'Category Node', 'NODE_NOT_FOUND'],
    ]);
    assert.equal(await shop.item('a'), undefined);
    for (const row of [2, 6]) assertSaid(outcome, row, 7, /comes later; it failed, so nothing of either was applied/);
    assertSaid(outcome, 3, 4, /comes later, and the last row with a key wins/);
    const text = (await shop.download(outcome.errorFile ?? '')).bytes.toString();
    assert.deepEqual(text.match(/^(a|b),Disk,[^,]*|^a,Nowhere,bad/gm), [
      'a,Disk,good',
      'a,Disk,also good',
      'a,Nowhere,bad',
    ]);
    const corrected = await shop.importFile('items.csv', text.replace('Nowhere', 'Disk'));
    assert.deepEqual([corrected.created, corrected.failed], [1, 2]);
    assert.equal((await shop.item('a'))?.attributes.Title, 'bad');
  });

  it('in an insert too, where the first row wins, and in a request', async () => {
    const rows = 'SKU,Category Node,Title\na,Nowhere,bad\na,Disk,good\n';
    const outcome = await shop.importFile('items.csv', rows, { mode: 'insert' });
    assertSaid(outcome, 3, 2, /comes first; it failed, so nothing of either was applied; correct row 2/);
    const { body } = await shop.bulk('upsert', [
      { sku: 'a', nodeName: 'Disk' },
      { sku: 'a', nodeName: 'Nowhere' },
      { sku: 'b', nodeName: 'Disk' },
    ]);
    assert.match(body.failed[0].message, /row 2 has the same key and comes later; it failed/);
    assert.deepEqual((await shop.items()).length, 1);
  });

  for (const name of ['items.json', 'items.jsonl']) {
    it(`${name}: as in CSV when the row that wins fails`, async () => {
      const lines = [
        '{"sku":"a","nodeName":"Disk"}',
        '{"sku":"b","nodeName":"Disk"}',
        '{"sku":"a","nodeName":"Nowhere"}',
      ];
      const outcome = await shop.importFile(name, name === 'items.json' ? `[${lines.join(',')}]` : lines.join('\n'));
      assertSaid(outcome, 1, 3, /it failed, so nothing of either was applied/);
      const text = (await shop.download(outcome.errorFile ?? '')).bytes.toString();
      assert.deepEqual(text.match(/"sku":"."/g), ['"sku":"a"', '"sku":"a"']);
    });

    it(`${name}: a row with a member given twice fails alone; a SKU given twice supersedes no row`, async () => {
      const lines = [
        '{"sku":"a","nodeName":"Disk","attributes":{"Title":"good"}}',
        '{"sku":"b","sku":"a","nodeName":"Disk"}',
        '{"sku":"c","nodeName":"Disk","attributes":{"Title":"1"},"attributes":{"Title":"2"}}',
        '{"sku":"d","nodeName":"Disk","attributes":{"Title":"1","Title":"1"}}',
      ];
      const outcome = await shop.importFile(name, name === 'items.json' ? `[${lines.join(',')}]` : lines.join('\n'));
      assert.deepEqual(places(outcome), [
        [2, 'sku', 'DUPLICATE_MEMBER'],
        [3, 'attributes', 'DUPLICATE_MEMBER'],
        [4, 'Title', 'DUPLICATE_MEMBER'],
      ]);
      assert.deepEqual(await shop.values('Title'), { a: 'good' });
      const request = await shop.bulk('upsert', `[${lines.join(',')}]`);
      assert.deepEqual(
        request.body.failed.map(({ index, code }: { index: number; code: string }) => [index, code]),
        [1, 2, 3].map((index) => [index, 'DUPLICATE_MEMBER']),
      );
    });
  }

  it('a row that cannot be read has no key, and takes no other with it', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU,Category Node,Title\na,Disk,good\na,Disk,x,y\n');
    assert.deepEqual(places(outcome), [[3, null, 'ROW_FIELD_COUNT']]);
    assert.equal((await shop.item('a'))?.attributes.Title, 'good');
  });

  it('keys are trimmed and in NFC; case is kept', async () => {
    const rows = csv(['Zürich', '1'], [' Zu\u0308rich ', '2'], ['zürich', '3'], ['" x"', '4'], ['x', '5']);
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(places(outcome), [DUPLICATE(2), DUPLICATE(5)]);
    assert.deepEqual(await shop.values('Title'), { Zürich: '2', zürich: '3', x: '5' });
  });

  it('a key is what its cell says: a backslash and NULL mean nothing special there', async () => {
    const rows = csv(['\\A', '1'], ['\\\\A', '2'], ['NULL', '3'], ['\\NULL', '4'], ['\\\\A', '5']);
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(places(outcome), [DUPLICATE(3)]);
    assert.deepEqual(await shop.values('Title'), { '\\A': '1', '\\\\A': '5', NULL: '3', '\\NULL': '4' });
  });

  it('quoting does not make keys differ', async () => {
    const outcome = await shop.importFile('items.csv', csv(['"a""b"', '1'], ['a"b', '2']));
    assert.deepEqual(places(outcome), [DUPLICATE(2)]);
    assert.deepEqual(await shop.values('Title'), { 'a"b': '2' });
  });

  it('empty keys are no duplicates of each other', async () => {
    const outcome = await shop.importFile('items.csv', csv(['', '1'], [' ', '2']));
    assert.deepEqual(places(outcome), [
      [2, 'SKU', 'SKU_REQUIRED'],
      [3, 'SKU', 'SKU_REQUIRED'],
    ]);
  });

  for (const [name, write] of [
    ['items.json', (elements: object[]) => JSON.stringify(elements)],
    ['items.jsonl', (elements: object[]) => elements.map((element) => JSON.stringify(element)).join('\n')],
  ] as const) {
    it(`${name}: as in CSV, across chunks`, async () => {
      const titles = ['first', 'x', 'y', 'second', 'third'];
      const elements = titles.map((Title, index) => ({
        sku: index === 1 || index === 2 ? Title : ' a',
        nodeName: 'Disk',
        attributes: { Title },
      }));
      const upserted = await shop.importFile(name, write(elements));
      assert.deepEqual(
        upserted.errors.map(({ row, key, column, code }) => [row, key, column, code]),
        [1, 4].map((row) => [row, 'a', 'sku', 'SKU_DUPLICATE_IN_REQUEST']),
      );
      assert.equal((await shop.item('a'))?.attributes.Title, 'third');
      const other = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      const inserted = await other.importFile(name, write(elements), { mode: 'insert' });
      assert.deepEqual(
        inserted.errors.map(({ row }) => row),
        [4, 5],
      );
      assert.equal((await other.item('a'))?.attributes.Title, 'first');
    });
  }

  it('a request: insert keeps the first, upsert the last', async () => {
    const elements = [
      { sku: 'a', nodeName: 'Disk', attributes: { Title: '1' } },
      { sku: ' a ', nodeName: 'Disk', attributes: { Title: '2' } },
    ];
    const inserted = await shop.bulk('insert', elements);
    assert.deepEqual([inserted.body.failed[0].index, inserted.body.failed[0].code], [1, 'SKU_DUPLICATE_IN_REQUEST']);
    assert.deepEqual(await shop.values('Title'), { a: '1' });
    const upserted = await shop.bulk('upsert', elements);
    assert.deepEqual([upserted.body.failed[0].index, upserted.body.success[0].message], [0, 'updated']);
    assert.deepEqual(await shop.values('Title'), { a: '2' });
  });

  it('inserts that run beside each other: of two with one SKU, one', async () => {
    const elements = Array.from({ length: 40 }, (_, index) => ({ sku: `s${index}`, nodeName: 'Disk' }));
    const answers = await Promise.all([1, 2, 3, 4].map(() => shop.bulk('insert', elements)));
    const created = answers.flatMap(({ body }) => body.success ?? []);
    assert.equal(created.length, 40);
    const errors = answers.flatMap(({ body }) => body.errors ?? body.failed);
    assert.deepEqual(new Set(errors.map(({ code }) => code)), new Set(['SKU_EXISTS']));
    assert.equal(errors.length, 120);
    assert.equal((await shop.items()).length, 40);
  });
});
