/** Variants: their parents may stand anywhere in the input, and the outcome is a function of the input alone. */
import assert from 'node:assert/strict';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const HEADER = 'SKU,Category Node,Parent SKU,Title';

describe('variants', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Shirts: ['Title'] } });
  });

  /** Rows of `SKU` or `SKU<parent`. */
  const importRows = (...rows: string[]): Promise<Outcome> => {
    const lines = rows.map((row) => {
      const [sku, parent = ''] = row.split('<');
      return `${sku},Shirts,${parent},`;
    });
    return shop.importFile('items.csv', [HEADER, ...lines].join('\n'));
  };
  const parents = async (): Promise<Record<string, string | null>> =>
    Object.fromEntries((await shop.items()).map(({ sku, parentSku }) => [sku, parentSku]));

  it('may stand before their parent, chunks apart', async () => {
    const outcome = await importRows('a1<a', 'a2<a', 'b', 'b1<b', 'c1<c', 'c2<c', 'a', 'c');
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 8]);
    assert.deepEqual(await parents(), { a: null, a1: 'a', a2: 'a', b: null, b1: 'b', c: null, c1: 'c', c2: 'c' });
  });

  it('may stand before their parent in a request', async () => {
    const { body } = await shop.bulk('insert', [
      { sku: 'a1', nodeName: 'Shirts', parentSku: 'a' },
      { sku: 'a', nodeName: 'Shirts' },
      { sku: 'b1', nodeName: 'Shirts', parentSku: 'b' },
    ]);
    assert.deepEqual(
      body.success.map(({ sku }: { sku: string }) => sku),
      ['a1', 'a'],
    );
    assert.deepEqual([body.failed[0].index, body.failed[0].code], [2, 'PARENT_NOT_FOUND']);
    assert.deepEqual(await parents(), { a: null, a1: 'a' });
  });

  it('are reported where their parent is missing at the end, and where it failed', async () => {
    const rows = `${HEADER}\na1,Shirts,a,\na,Nowhere,,\nb1,Shirts,b,\nc,Shirts,,\n`;
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(places(outcome), [
      [2, 'Parent SKU', 'PARENT_NOT_FOUND'],
      [3, 'Category Node', 'NODE_NOT_FOUND'],
      [4, 'Parent SKU', 'PARENT_NOT_FOUND'],
    ]);
    assert.deepEqual([outcome.total, outcome.created, outcome.failed], [4, 1, 3]);
  });

  it('keep what else was said of their chunk: failures and duplicates of the first wave', async () => {
    const rows = `${HEADER}\na1,Shirts,a,\n,Shirts,,\na1,Shirts,a,second\na,Shirts,,\nb,Shirts,,x,y\n`;
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(places(outcome), [
      [2, 'SKU', 'SKU_DUPLICATE_IN_REQUEST'],
      [3, 'SKU', 'SKU_REQUIRED'],
      [6, null, 'ROW_FIELD_COUNT'],
    ]);
    assert.deepEqual([outcome.created, outcome.failed], [2, 3]);
    assert.deepEqual(await shop.values('Title'), { a: undefined, a1: 'second' });
  });

  it('have no variants of their own, whichever stands first, in one chunk or in several', async () => {
    assert.deepEqual(places(await importRows('c', 'b<c', 'a<b')), [[4, 'Parent SKU', 'PARENT_NOT_FOUND']]);
    assert.deepEqual(await parents(), { b: 'c', c: null });
    const later = await importRows('y<z', 'x<y', 'z');
    assert.deepEqual(places(later), [[3, 'Parent SKU', 'PARENT_NOT_FOUND']]);
    assert.match(later.errors[0]?.message ?? '', /"y" is to be a variant itself|"y" is a variant itself/);
  });

  it('have no variants of their own when items that exist are rearranged: the earlier row has its way', async () => {
    await importRows('a', 'b', 'c', 'd');
    const outcome = await importRows('a<b', 'd<c', 'b<c');
    assert.deepEqual(places(outcome), [[4, 'Parent SKU', 'PARENT_NOT_FOUND']]);
    assert.match(outcome.errors[0]?.message ?? '', /"b" has variants/);
    assert.deepEqual(await parents(), { a: 'b', b: null, c: null, d: 'c' });
  });

  it('are rearranged alike every time, however many chunks there are and whatever runs beside', async () => {
    const skus = Array.from({ length: 12 }, (_, index) => `i${index}`);
    const chain = skus.slice(1).map((sku, index) => `${sku}<i${index}`);
    const ends = new Set<string>();
    for (let trial = 0; trial < 3; trial++) {
      const other = await (await world.newShop()).define({ attributes: ['Title'], categories: { Shirts: ['Title'] } });
      shop = other;
      await importRows(...skus);
      const outcome = await importRows(...chain);
      ends.add(JSON.stringify([await parents(), outcome.errors]));
    }
    assert.equal(ends.size, 1);
  });

  it('become items of their own by NULL in a file and null in JSON, and stay by an empty cell', async () => {
    await importRows('a', 'a1<a', 'a2<a', 'a3<a');
    await shop.importFile('items.csv', 'SKU,Parent SKU,Title\na1,NULL,\na2,,changed\n');
    await shop.bulk('upsert', [{ sku: 'a3', parentSku: null }]);
    assert.deepEqual(await parents(), { a: null, a1: null, a2: 'a', a3: null });
  });

  it('may have a parent that is called NULL, null or undefined', async () => {
    await importRows('NULL', 'null', 'undefined', 'a<\\NULL', 'b<null', 'c<undefined');
    assert.deepEqual(await parents(), {
      NULL: null,
      a: 'NULL',
      b: 'null',
      c: 'undefined',
      null: null,
      undefined: null,
    });
    const detached = await shop.bulk('upsert', [{ sku: 'b', nodeName: 'Shirts', parentSku: null }]);
    assert.equal(detached.body.success[0].message, 'updated');
    assert.equal((await parents()).b, null);
  });

  it('are unchanged when they come again', async () => {
    const rows = ['a1<a', 'a2<a', 'b', 'b1<b', 'a'];
    await importRows(...rows);
    const again = await importRows(...rows);
    assert.deepEqual([again.status, again.unchanged], ['COMPLETED', 5]);
  });
});
