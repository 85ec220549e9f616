/** What variants have of their parent: shown, counted as theirs, and lost or kept when they leave it. */
import assert from 'node:assert/strict';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const PRODUCT = '/api-product/v1/product';

describe('variants and the values of their parent', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: [
        { name: 'Brand', type: 'TEXT', validation: { inheritable: true, required: true } },
        { name: 'Fabric', type: 'TEXT', validation: { inheritable: true } },
        { name: 'Size', type: 'TEXT' },
        { name: 'Gtin', type: 'TEXT', validation: { inheritable: true, unique: true } },
        { name: 'Active', type: 'BOOLEAN', validation: { inheritable: true } },
        { name: 'Variant', type: 'BOOLEAN' },
      ],
      categories: {
        Shirts: ['Brand', 'Fabric!', 'Size', 'Gtin', 'Active', 'Variant'],
        Plain: ['Brand', 'Size'],
      },
      mapping: { active: 'Active', isVariant: 'Variant' },
    });
    const parent = { sku: 'p', nodeName: 'Shirts', attributes: { Brand: 'B', Fabric: 'wool', Size: 'M', Gtin: '1' } };
    assert.equal((await shop.bulk('insert', [parent])).status, 200);
  });

  const read = async (sku: string) => {
    const { attributes, inherited, status, parentSku } = await shop.ask('GET', `${PRODUCT}/${sku}`);
    return { attributes, inherited, status, parentSku };
  };
  const importRows = (header: string, ...rows: string[]): Promise<Outcome> =>
    shop.importFile('items.csv', [header, ...rows].join('\n'));
  const addVariant = async (sku = 'v', attributes: object = {}): Promise<void> => {
    const { body } = await shop.bulk('insert', [{ sku, nodeName: 'Shirts', parentSku: 'p', attributes }]);
    assert.equal(body.success?.length, 1, JSON.stringify(body));
  };
  const statuses = async () => Object.fromEntries((await shop.items()).map(({ sku, status }) => [sku, status]));

  it('show those that they have none of themselves, marked, but none that must differ', async () => {
    await addVariant('v', { Fabric: 'silk' });
    assert.deepEqual(await read('v'), {
      attributes: { Brand: 'B', Fabric: 'silk', Variant: true },
      inherited: ['Brand'],
      status: 'LIVE',
      parentSku: 'p',
    });
    const [listed] = (await shop.ask('GET', `${PRODUCT}?skus=v`)).data;
    assert.deepEqual([listed.attributes.Brand, listed.inherited], ['B', ['Brand']]);
    assert.equal('inherited' in (await shop.ask('GET', `${PRODUCT}/p`)), false);
  });

  it('show none that their own category does not have', async () => {
    await shop.bulk('insert', [{ sku: 'v', nodeName: 'Plain', parentSku: 'p' }]);
    assert.deepEqual((await read('v')).attributes, { Brand: 'B' });
  });

  it('need no required and no mandatory value that the parent has', async () => {
    await addVariant();
    assert.equal((await read('v')).status, 'LIVE');
    const cleared = await importRows('SKU,Brand,Fabric', 'v,NULL,NULL');
    assert.deepEqual([cleared.status, cleared.unchanged], ['COMPLETED', 1]);
    const own = await importRows('SKU,Brand', 'v,Own');
    const back = await importRows('SKU,Brand', 'v,NULL');
    assert.deepEqual([own.updated, back.updated, (await read('v')).inherited], [1, 1, ['Brand', 'Fabric']]);
  });

  it('follow the status of their parent when its values come and go, within the same job', async () => {
    await addVariant('v1');
    await addVariant('v2', { Fabric: 'silk' });
    await addVariant('v3');
    await importRows('SKU,Fabric,Size', 'p,NULL,L', 'v3,,XL');
    assert.deepEqual(await statuses(), { p: 'DRAFT', v1: 'DRAFT', v2: 'LIVE', v3: 'DRAFT' });
    await shop.bulk('update', [{ sku: 'p', attributes: { Fabric: 'linen' } }]);
    assert.deepEqual(await statuses(), { p: 'LIVE', v1: 'LIVE', v2: 'LIVE', v3: 'LIVE' });
    await shop.bulk('update', [{ sku: 'p', attributes: { Active: false } }]);
    assert.deepEqual(await statuses(), { p: 'DRAFT', v1: 'DRAFT', v2: 'DRAFT', v3: 'DRAFT' });
    await shop.bulk('update', [{ sku: 'v1', attributes: { Active: true } }]);
    assert.equal((await statuses()).v1, 'LIVE');
  });

  it('have the values that their parent gets in the same file, wherever it stands', async () => {
    const header = 'SKU,Category Node,Parent SKU,Brand,Fabric';
    const outcome = await importRows(header, 'v,Shirts,q,,', 'w,Shirts,q,,silk', 'x,Shirts,,B,', 'q,Shirts,,Q,jute');
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 4]);
    assert.deepEqual((await read('v')).attributes, { Brand: 'Q', Fabric: 'jute', Variant: true });
    assert.deepEqual(await statuses(), { p: 'LIVE', q: 'LIVE', v: 'LIVE', w: 'LIVE', x: 'DRAFT' });
    const moved = await importRows(header, 'v,,p,,', 'p,,,,NULL');
    assert.equal(moved.updated, 2);
    assert.deepEqual((await statuses()).v, 'DRAFT');
  });

  it('leave their parent without its values by null and NULL, if they can do without', async () => {
    await addVariant('v', { Brand: 'Own' });
    await addVariant('w');
    const outcome = await importRows('SKU,Parent SKU', 'v,NULL', 'w,NULL');
    assert.deepEqual(places(outcome), [[3, 'Brand', 'ATTRIBUTE_REQUIRED']]);
    assert.deepEqual(await read('v'), {
      attributes: { Brand: 'Own', Variant: false },
      inherited: undefined,
      status: 'DRAFT',
      parentSku: null,
    });
    assert.equal((await read('w')).parentSku, 'p');
  });

  it('take them along when they are detached', async () => {
    await addVariant('v', { Fabric: 'silk', Size: 'S' });
    const { body } = await shop.bulk('update', [
      { sku: 'v', detach: true, attributes: { Size: null } },
      { sku: 'p', attributes: { Brand: 'New' } },
    ]);
    assert.deepEqual(body.success.length, 2, JSON.stringify(body));
    assert.deepEqual(await read('v'), {
      attributes: { Brand: 'New', Fabric: 'silk', Variant: false },
      inherited: undefined,
      status: 'LIVE',
      parentSku: null,
    });
    const again = await shop.bulk('update', [{ sku: 'v', detach: true }]);
    assert.equal(again.body.success[0].message, 'unchanged');
  });

  it('may be parents once they are detached, with what they took along, whatever the order of the rows', async () => {
    await addVariant('v');
    const rows = [
      { sku: 'early', nodeName: 'Shirts', parentSku: 'v' },
      { sku: 'v', detach: true },
      { sku: 'late', nodeName: 'Shirts', parentSku: 'v' },
    ];
    const { body } = await shop.bulk('upsert', rows);
    assert.deepEqual([body.success.length, body.failed], [3, []]);
    for (const sku of ['early', 'late']) assert.deepEqual((await read(sku)).inherited, ['Brand', 'Fabric']);
  });

  it('are marked by the attribute that is mapped to isVariant, which says nothing else', async () => {
    const { body } = await shop.bulk('upsert', [
      { sku: 'v', nodeName: 'Shirts', parentSku: 'p', attributes: { Variant: true } },
      { sku: 'w', nodeName: 'Shirts', parentSku: 'p', attributes: { Variant: false } },
      { sku: 'p', attributes: { Variant: true } },
      { sku: 'q', nodeName: 'Shirts', attributes: { Brand: 'B', Variant: false } },
    ]);
    assert.deepEqual(
      body.failed.map(({ sku, code, errors }: { sku: string; code: string; errors: { path: string }[] }) => [
        sku,
        code,
        errors[0]?.path,
      ]),
      [
        ['w', 'FIELD_INVALID', 'Variant'],
        ['p', 'FIELD_INVALID', 'Variant'],
      ],
    );
    assert.deepEqual((await read('v')).attributes.Variant, true);
  });

  it('are unchanged when they come again, and when their parent does', async () => {
    const rows = ['v,Shirts,p,,', 'p,,,B,wool'];
    const header = 'SKU,Category Node,Parent SKU,Brand,Fabric';
    await importRows(header, ...rows);
    const again = await importRows(header, ...rows);
    assert.deepEqual([again.status, again.unchanged], ['COMPLETED', 2]);
  });
});
