/** What the messages about rows, definitions and ends of jobs say, where a reader could be misled. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ATTRIBUTE = { name: 'T', type: 'TEXT' };

describe('what messages say', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  it('accents that are written as characters of their own are those of the rule', async () => {
    const attributes = [{ ...ATTRIBUTE, validation: { contains: 'é' } }];
    await shop.define({ attributes, categories: { Hats: ['T'] } });
    const rows = ['caf\u00e9', 'cafe\u0301'].map((T, index) => ({
      sku: `${index}`,
      nodeName: 'Hats',
      attributes: { T },
    }));
    const { status, body } = await shop.bulk('insert', rows);
    assert.deepEqual([status, body.failed], [200, []], JSON.stringify(body));
  });

  it('an address with another scheme is refused because of its scheme', async () => {
    await shop.define({ attributes: [{ name: 'T', type: 'URL' }], categories: { Hats: ['T'] } });
    const row = { sku: 'a', nodeName: 'Hats', attributes: { T: 'ftp://example.com/a' } };
    const { body } = await shop.bulk('insert', [row]);
    assert.match(body.errors[0].message, /begins with ftp:\/\/, and addresses of web pages begin with https:\/\//);
  });

  it('the end of a dry run says how many rows would fail, and that of a job if all have', async () => {
    await shop.category('Hats');
    const file = 'SKU,Category Node\na,Hats\nb,None\n';
    const dry = await shop.importFile('a.csv', file, { validateOnly: true });
    assert.deepEqual([dry.status, dry.failed], ['COMPLETED', 1]);
    assert.match(dry.message, /nothing was written, and 1 of 2 rows would fail/);
    const none = await shop.importFile('a.csv', 'SKU,Category Node\nb,None\n');
    assert.match(none.message, /^the only row failed; each error says why/);
    const abort = await shop.importFile('a.csv', file, { onError: 'abort' });
    assert.match(abort.message, /^1 row failed, and nothing was written/);
  });

  it('the codes of refused fields are not those of the validator', async () => {
    const { status, body } = await shop.post('/api-category/v1/category/item-attribute', {
      nodeId: 'x',
      itemAttributes: [],
    });
    assert.equal(status, 400);
    for (const { code } of body.errors) assert.match(code, /^INVALID_(TYPE|VALUE)$/, JSON.stringify(body));
    assert.ok(body.errors.length > 0);
  });

  it("the other platform's rules that are not supported are refused by name", async () => {
    for (const rule of ['attributeTypes', 'inverse', 'exact']) {
      const { body } = await shop.bulkAttributes([{ ...ATTRIBUTE, validation: { [rule]: true } }]);
      assert.match(JSON.stringify(body.attributes.failed), new RegExp(`validation\\.${rule}`));
    }
  });
});
