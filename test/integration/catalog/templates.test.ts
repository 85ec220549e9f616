/** Import templates. */
import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/identifier.js';
import { addAttributes } from '../../support/catalog-rows.js';
import { type Answer, type Caller, type CatalogWorld, startCatalogWorld } from '../../support/catalog-world.js';

const CATEGORY = '/api-category/v1/category';
const ITEMS = '/item-import-templates';

describe('import templates over HTTP', () => {
  let world: CatalogWorld;
  let caller: Caller;
  let storage: { id: string; nodeId: number };
  let disk: { id: string; nodeId: number };
  before(async () => {
    world = await startCatalogWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    caller = await world.newCaller();
    await addAttributes(world.db, caller.site.siteId, [{ name: 'Title' }, { name: 'Size, "net"' }, { name: 'Größe' }]);
    storage = (await caller.post(CATEGORY, { name: 'Storage' })).body;
    disk = (await caller.post(CATEGORY, { name: 'Disk', parentId: storage.id })).body;
    await caller.post(`${CATEGORY}/item-attribute`, { id: storage.id, itemAttributes: [{ name: 'Größe' }] });
    await caller.post(`${CATEGORY}/item-attribute`, { id: disk.id, itemAttributes: [{ name: 'Size, "net"' }] });
  });

  const csv = ({ status, headers, bytes }: Answer): string => {
    assert.equal(status, 200, bytes.toString());
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="[a-z-]+\.csv"$/);
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
    return bytes.subarray(3).toString('utf8');
  };

  it('have one column an attribute of the category, inherited ones first', async () => {
    const expected = 'Category Node,SKU,Parent SKU,Größe,"Size, ""net"""\r\n';
    for (const body of [
      { categoryId: disk.id },
      { nodeId: disk.nodeId },
      { categoryId: String(disk.nodeId), format: 'CSV' },
    ]) {
      assert.equal(csv(await caller.post(ITEMS, body)), expected);
    }
  });

  it('have every attribute of the site without a category, and without a body', async () => {
    const expected = 'Category Node,SKU,Parent SKU,Title,"Size, ""net""",Größe\r\n';
    assert.equal(csv(await caller.post(ITEMS, {})), expected);
    assert.equal(csv(await caller.post(ITEMS, undefined)), expected);
  });

  it('leave out the attribute that is the SKU column', async () => {
    await addAttributes(world.db, caller.site.siteId, [{ name: 'Code', validation: { required: true, unique: true } }]);
    await caller.post('/api-product/v1/product/attribute/mapping', { mappings: [{ name: 'Code', mapping: 'sku' }] });
    assert.ok(!csv(await caller.post(ITEMS, {})).includes('Code'));
  });

  it('are refused for an unknown category, one of others, and one with children', async () => {
    const other = await world.newCaller();
    for (const answer of [
      await caller.post(ITEMS, { categoryId: newId() }),
      await caller.post(ITEMS, { nodeId: 4711 }),
      await other.post(ITEMS, { categoryId: disk.id }),
    ]) {
      assert.deepEqual([answer.status, answer.body.type], [404, 'NOT_FOUND']);
    }
    for (const body of [{ nodeId: storage.nodeId }, { nodeId: 1 }]) {
      const { status, body: error } = await caller.post(ITEMS, body);
      assert.deepEqual([status, error.type], [400, 'CLIENT_ERROR']);
      assert.match(error.message, /no leaf/);
    }
  });

  it('are refused in formats that cannot be written, saying which can', async () => {
    for (const path of [ITEMS, '/attribute-import-templates']) {
      const { status, body } = await caller.post(path, { format: 'XLSX' });
      assert.deepEqual([status, body.type], [400, 'CLIENT_ERROR']);
      assert.match(body.message, /XLSX templates are not available yet: use CSV/);
      assert.equal(body.errors[0].path, 'format');
    }
    assert.equal((await caller.post(ITEMS, { format: 'PDF' })).status, 400);
    assert.equal((await caller.post(`${ITEMS}?locale=%22`, {})).status, 400);
  });

  it('tell the locale in the name of the file', async () => {
    const { status, headers } = await caller.post(`${ITEMS}?locale=de-DE`, {});
    assert.equal(status, 200);
    assert.match(headers.get('content-disposition') ?? '', /filename="item-import-template-de-DE\.csv"/);
  });

  it('for attributes need no body', async () => {
    const text = csv(await caller.post('/attribute-import-templates', undefined));
    assert.ok(text.startsWith('Attribute Title,Type of Attribute,Description,'));
    assert.ok(text.includes(',Value 1,'));
  });
});
