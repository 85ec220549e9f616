/** Bundles: what they hold may stand anywhere in the input, and no bundle holds itself. */
import assert from 'node:assert/strict';
import { type FileOptions, type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const PRODUCT = '/api-product/v1/product';

describe('bundles', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Gtin', type: 'TEXT', validation: { unique: true } }],
      categories: { Kits: ['Title', 'Gtin'] },
    });
    const items = ['x', 'y', 'z'].map((sku) => ({ sku, nodeName: 'Kits' }));
    assert.equal((await shop.bulk('insert', items)).status, 200);
  });

  /** Rows of `SKU=Items`. */
  const importRows = (rows: readonly string[], options: FileOptions = {}): Promise<Outcome> => {
    const lines = rows.map((row) => {
      const [sku, items = ''] = row.split('=');
      return `${sku},Kits,,"${items}"`;
    });
    const content = ['SKU,Category Node,Title,Items', ...lines].join('\n');
    return shop.importFile('bundles.csv', content, options, { type: 'BUNDLE_IMPORT' });
  };
  /** What each bundle holds, as a cell. */
  const bundles = async (): Promise<Record<string, string>> => {
    const { data } = await shop.ask('GET', `${PRODUCT}?type=BUNDLE&limit=100`);
    return Object.fromEntries(data.map((item: BundleItem) => [item.sku, cellOf(item)]));
  };
  interface BundleItem {
    readonly sku: string;
    readonly bundleItems: readonly { readonly sku: string; readonly quantity: number }[];
  }
  const cellOf = ({ bundleItems }: BundleItem) =>
    bundleItems.map(({ sku, quantity }) => `${sku}:${quantity}`).join(';');
  const fingerprint = async (): Promise<unknown> => {
    const read = (table: string, key: string) =>
      world
        .db(table)
        .where({ site_id: shop.siteId })
        .orderBy(key)
        .select(world.db.raw(`${key}, xmin::text, ctid::text`));
    return [await read('item', 'sku'), await read('bundle_item', 'bundle_sku')];
  };

  it('are read from a file, in either way of writing, and shown with what they hold', async () => {
    const outcome = await importRows(['k1=x:2;y:1', 'k2=2, x; 3,y', 'k3= x : 1 ;']);
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 3]);
    assert.deepEqual(await bundles(), { k1: 'x:2;y:1', k2: 'x:2;y:3', k3: 'x:1' });
    const item = await shop.ask('GET', `${PRODUCT}/k1`);
    assert.deepEqual(
      [item.type, item.status, item.bundleItems],
      [
        'BUNDLE',
        'LIVE',
        [
          { sku: 'x', quantity: 2 },
          { sku: 'y', quantity: 1 },
        ],
      ],
    );
    assert.equal('bundleItems' in (await shop.ask('GET', `${PRODUCT}/x`)), false);
  });

  it('are read from JSON, in requests and files', async () => {
    const rows = [
      { sku: 'k1', type: 'BUNDLE', nodeName: 'Kits', bundleItems: [{ sku: 'x', quantity: 2 }] },
      { sku: 'k2', nodeName: 'Kits', bundleItems: [{ sku: 'k1', quantity: '3' }] },
    ];
    assert.equal((await shop.bulk('insert', rows)).body.success.length, 2);
    const lines = rows.map((row) => JSON.stringify({ ...row, type: undefined, sku: `f${row.sku}` })).join('\n');
    const file = await shop.importFile('bundles.jsonl', lines, {}, { type: 'BUNDLE_IMPORT' });
    assert.deepEqual([file.status, file.created], ['COMPLETED', 2]);
    assert.deepEqual(await bundles(), { k1: 'x:2', k2: 'k1:3', fk1: 'x:2', fk2: 'k1:3' });
  });

  it('may stand before what they hold, chunks apart, bundles and variants among it', async () => {
    const outcome = await importRows(['k5=k4:1', 'k4=k3:1;k1:2', 'k3=k2:1', 'k2=k1:1', 'k1=x:1']);
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 5]);
    const rows = [
      { sku: 'm', nodeName: 'Kits', bundleItems: [{ sku: 'v', quantity: 1 }] },
      { sku: 'v', nodeName: 'Kits', parentSku: 'p' },
      { sku: 'p', nodeName: 'Kits' },
    ];
    assert.equal((await shop.bulk('upsert', rows)).body.success.length, 3);
    assert.equal((await bundles()).m, 'v:1');
  });

  it('are reported where what they hold is missing at the end, or failed, all of it', async () => {
    const outcome = await importRows(['k1=x:1;nobody:1;none:2', 'k2=k1:1', 'k3=k4:1', ',k4=x:1', 'k5=x:0', 'k6=k5:1']);
    assert.deepEqual(
      places(outcome).map(([row, , code]) => `${row} ${code}`),
      [
        '2 BUNDLE_ITEM_NOT_FOUND',
        '2 BUNDLE_ITEM_NOT_FOUND',
        '3 BUNDLE_ITEM_NOT_FOUND',
        '4 BUNDLE_ITEM_NOT_FOUND',
        '5 ROW_FIELD_COUNT',
        '6 VALUE_RANGE',
        '7 BUNDLE_ITEM_NOT_FOUND',
      ],
    );
    assert.deepEqual([outcome.errors[0]?.column, outcome.errors[0]?.value], ['Items', 'nobody']);
    assert.deepEqual(await bundles(), {});
  });

  it('hold no circle: what waits for itself, or for those that do, is told so', async () => {
    const outcome = await importRows(['a=b:1', 'b=c:1', 'c=a:1', 'd=a:1;x:1', 'e=e:1', 'f=nobody:1;a:1', 'g=x:1']);
    assert.deepEqual(
      places(outcome).map(([row, , code]) => `${row} ${code}`),
      [
        '2 BUNDLE_CYCLE',
        '3 BUNDLE_CYCLE',
        '4 BUNDLE_CYCLE',
        '5 BUNDLE_CYCLE',
        '6 BUNDLE_CYCLE',
        '7 BUNDLE_ITEM_NOT_FOUND',
        '7 BUNDLE_ITEM_NOT_FOUND',
      ],
    );
    assert.deepEqual(await bundles(), { g: 'x:1' });
  });

  it('close no circle with those that are stored, unless a later row opens it', async () => {
    await importRows(['a=x:1', 'b=a:1', 'c=b:1']);
    const closed = await importRows(['a=c:1']);
    assert.deepEqual(places(closed), [[2, 'Items', 'BUNDLE_CYCLE']]);
    assert.match(closed.errors[0]?.message ?? '', /"a" holds "c" holds "b" holds "a"/);
    const turned = await importRows(['a=b:1', 'b=c:1', 'c=x:1']);
    assert.deepEqual([turned.status, turned.updated], ['COMPLETED', 3]);
    assert.deepEqual(await bundles(), { a: 'b:1', b: 'c:1', c: 'x:1' });
    const raced = await importRows(['c=y:1', 'a=x:1', 'b=a:1', 'a2=b:1', 'a=x:2']);
    assert.deepEqual(places(raced), [[3, 'SKU', 'SKU_DUPLICATE_IN_REQUEST']]);
  });

  it('are nested ten levels deep at most', async () => {
    const chain = Array.from({ length: 12 }, (_, index) => `k${index + 1}=${index === 0 ? 'x' : `k${index}`}:1`);
    const outcome = await importRows(chain.reverse());
    assert.deepEqual(
      places(outcome).map(([, column, code]) => `${column} ${code}`),
      ['Items BUNDLE_ITEM_NOT_FOUND', 'Items VALUE_RANGE'],
    );
    assert.match(outcome.errors[1]?.message ?? '', /11 levels deep/);
    assert.equal(Object.keys(await bundles()).length, 10);
    const deeper = await importRows(['k0=y:1', 'k1=k0:1']);
    assert.deepEqual(places(deeper), [[3, 'Items', 'VALUE_RANGE']]);
  });

  it('keep what they hold where a row says nothing of it, and lose it by NULL and null: DRAFT then', async () => {
    await importRows(['a=x:1', 'b=x:1', 'c=x:1', 'd=']);
    const outcome = await importRows(['a=', 'b=NULL']);
    assert.deepEqual([outcome.updated, outcome.unchanged], [1, 1]);
    await shop.bulk('upsert', [
      { sku: 'c', bundleItems: null },
      { sku: 'a', attributes: { Title: 'A' } },
    ]);
    assert.deepEqual(await bundles(), { a: 'x:1', b: '', c: '', d: '' });
    const statuses = (await shop.items()).filter(({ sku }) => sku < 'x').map(({ sku, status }) => `${sku} ${status}`);
    assert.deepEqual(statuses, ['a LIVE', 'b DRAFT', 'c DRAFT', 'd DRAFT']);
    await shop.bulk('update', [{ sku: 'b', bundleItems: [{ sku: 'y', quantity: 1 }] }]);
    assert.equal((await shop.item('b'))?.status, 'LIVE');
  });

  it('are unchanged when they come again: no tuple is written', async () => {
    const rows = ['k2=k1:1;x:3', 'k1=x:2;y:1'];
    await importRows(rows);
    const before = await fingerprint();
    const again = await importRows(rows);
    assert.deepEqual([again.status, again.unchanged], ['COMPLETED', 2]);
    const otherwise = await importRows(['k2=1, k1;x:3']);
    assert.equal(otherwise.unchanged, 1);
    assert.deepEqual(await fingerprint(), before);
    const reordered = await importRows(['k1=y:1;x:2']);
    assert.equal(reordered.updated, 1);
    assert.equal((await bundles()).k1, 'y:1;x:2');
  });

  it('and items do not turn into each other', async () => {
    await importRows(['k=x:1']);
    const outcome = await importRows(['x=y:1']);
    assert.deepEqual(places(outcome), [[2, 'SKU', 'FIELD_INVALID']]);
    const { body } = await shop.bulk('upsert', [{ sku: 'k', type: 'ITEM' }, { sku: 'y' }]);
    assert.deepEqual([body.failed.length, body.failed[0].code], [1, 'FIELD_INVALID']);
    assert.match(body.failed[0].message, /"k" is a bundle, and cannot become an item/);
  });

  it('are no parents and no variants', async () => {
    await importRows(['k=x:1']);
    const { body } = await shop.bulk('upsert', [
      { sku: 'v', nodeName: 'Kits', parentSku: 'k' },
      { sku: 'k', parentSku: 'x' },
      { sku: 'y', attributes: { Title: 'fine' } },
    ]);
    assert.deepEqual(
      body.failed.map(({ code, message }: { code: string; message: string }) => [code, message.replace(/;.*/, '')]),
      [
        ['PARENT_NOT_FOUND', 'the parent "k" is a bundle, and bundles have no variants'],
        ['FIELD_INVALID', '"k" is a bundle, which cannot be a variant of another item'],
      ],
    );
  });

  it('claim unique values in the order of their rows, and what failed claims none and holds nothing up', async () => {
    const row = (sku: string, gtin: string, held: string) => ({
      sku,
      nodeName: 'Kits',
      attributes: { Gtin: gtin },
      bundleItems: [{ sku: held, quantity: 1 }],
    });
    const { body } = await shop.bulk('insert', [
      row('a', '1', 'x'),
      row('b', '1', 'x'),
      row('c', '2', 'b'),
      row('d', '2', 'x'),
    ]);
    assert.deepEqual(
      body.failed.map(({ sku, code }: { sku: string; code: string }) => [sku, code]),
      [
        ['b', 'VALUE_NOT_UNIQUE'],
        ['c', 'BUNDLE_ITEM_NOT_FOUND'],
      ],
    );
    assert.deepEqual(await bundles(), { a: 'x:1', d: 'x:1' });
  });

  it('are written all or not at all, and tried without a trace', async () => {
    const rows = ['k2=k1:1', 'k1=x:2', 'k3=nobody:1'];
    const tried = await importRows(rows, { validateOnly: true });
    assert.deepEqual([tried.status, tried.created, tried.failed], ['COMPLETED', 2, 1]);
    const aborted = await importRows(rows, { onError: 'abort' });
    assert.deepEqual([aborted.status, aborted.reason], ['REJECTED', 'ROWS_FAILED']);
    assert.deepEqual([await bundles(), await world.db('bundle_item').where({ site_id: shop.siteId })], [{}, []]);
    const whole = await importRows(rows.slice(0, 2), { onError: 'abort' });
    assert.deepEqual([whole.status, whole.created], ['COMPLETED', 2]);
  });

  it('come back from an export, whatever their SKUs are called', async () => {
    const odd = ['a:1', 'b;2', '2, c', 'd\\', '\\:;', 'NULL', ':', 'e"f'];
    const items = odd.map((sku) => ({ sku, nodeName: 'Kits' }));
    const all = odd.map((sku, index) => ({ sku, quantity: index + 1 }));
    await shop.bulk('insert', [...items, { sku: 'k', nodeName: 'Kits', bundleItems: all }]);
    for (const format of ['CSV', 'JSONL']) {
      const job = await shop.ask('POST', '/jobs/bundle/actions/filter-export', {
        body: { match: {}, format },
        headers: { prefer: 'wait=25' },
      });
      const { bytes } = await shop.download((await shop.ask('GET', `/jobs/${job.jobId}`)).outputFiles[0]);
      const again = await shop.importFile(`b.${format.toLowerCase()}`, bytes, {}, { type: 'BUNDLE_IMPORT' });
      assert.deepEqual([again.status, again.unchanged, again.total], ['COMPLETED', 1, 1], bytes.toString());
    }
  });

  it('have a template, and a file of items has no place for what they hold', async () => {
    const template = await shop.call('POST', '/bundle-import-templates', { body: {} });
    assert.equal(template.bytes.toString(), '\uFEFFCategory Node,SKU,Title,Gtin,Items\r\n');
    assert.match(template.headers.get('content-disposition') ?? '', /bundle-import-template\.csv/);
    const asItems = await shop.importFile('items.csv', 'SKU,Items\nx,y:1\n');
    assert.deepEqual([asItems.status, asItems.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
    assert.match(asItems.message, /BUNDLE_IMPORT/);
    const withParent = await shop.importFile('b.csv', 'SKU,Parent SKU\nk,y\n', {}, { type: 'BUNDLE_IMPORT' });
    assert.deepEqual(places(withParent), [
      [2, 'Parent SKU', 'FIELD_INVALID'],
      [2, 'Category Node', 'NODE_NOT_FOUND'],
    ]);
  });
});
