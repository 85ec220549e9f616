/** Import templates. */
import assert from 'node:assert/strict';
import { FILE_TYPES } from '../../../src/domain/catalog/attributes/attribute-columns.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { zipEntries } from '../../support/models/zip-entries.js';
import { addAttributes } from '../../support/worlds/catalog-rows.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';
const ITEMS = '/item-import-templates';

describe('import templates over HTTP', () => {
  let world: World;
  let caller: Shop;
  let storage: { id: string; nodeId: number };
  let disk: { id: string; nodeId: number };
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    caller = await world.newShop();
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
    const other = await world.newShop();
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
      assert.match(error.message, /not a leaf/);
    }
  });

  it('are refused in formats that cannot be written', async () => {
    assert.equal((await caller.post(ITEMS, { format: 'PDF' })).status, 400);
    assert.equal((await caller.post(`${ITEMS}?locale=%22`, {})).status, 400);
  });

  describe('as workbooks', () => {
    const workbook = async ({ status, headers, bytes }: Answer): Promise<Map<string, string>> => {
      assert.equal(status, 200, bytes.toString());
      assert.match(headers.get('content-type') ?? '', /spreadsheetml\.sheet$/);
      assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="[a-z-]+\.xlsx"$/);
      return zipEntries(bytes);
    };
    const headerOf = (xml: string): string[] =>
      [...xml.matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, title = '']) => title);
    const sheet = (parts: Map<string, string>): string => parts.get('xl/worksheets/sheet1.xml') ?? '';

    it('have the columns of the CSV template, text in those of texts, and a header that stays in view', async () => {
      const xml = sheet(await workbook(await caller.post(ITEMS, { categoryId: disk.id, format: 'XLSX' })));
      assert.deepEqual(headerOf(xml), ['Category Node', 'SKU', 'Parent SKU', 'Größe', 'Size, "net"']);
      for (const column of [1, 2, 3, 4, 5]) assert.match(xml, new RegExp(`<col min="${column}" [^>]*style="1"/>`));
      assert.match(xml, /<pane ySplit="1" [^>]*state="frozen"/);
      assert.match(xml, /<c r="A1" s="5".*<c r="B1" s="5".*<c r="C1" s="4"/);
    });

    it('offer options and booleans, long lists from a hidden sheet, and mark what must be filled in', async () => {
      const many = Array.from({ length: 300 }, (_, index) => `Option ${index}`);
      const attributes: Parameters<typeof addAttributes>[2] = [
        { name: 'Colour', type: 'OPTIONS', options: ['red', 'green & blue'], validation: { required: true } },
        { name: 'Active', type: 'BOOLEAN' },
        { name: 'Many', type: 'OPTIONS', options: many },
        { name: 'Numbers', type: 'OPTIONS', optionsType: 'DECIMAL', options: ['1.5', '2'] },
        { name: 'Comma', type: 'OPTIONS', options: ['a,b', 'c'] },
        { name: 'Since', type: 'DATETIME' },
      ];
      const placed = attributes.map((attribute, index) => ({ ...attribute, position: 10 + index }));
      await addAttributes(world.db, caller.site.siteId, placed);
      const parts = await workbook(await caller.post(ITEMS, { format: 'XLSX' }));
      const xml = sheet(parts);
      assert.ok(xml.includes('sqref="G2:G1048576"><formula1>"red,green &amp; blue"</formula1>'));
      assert.ok(xml.includes('sqref="H2:H1048576"><formula1>"TRUE,FALSE"</formula1>'));
      assert.ok(xml.includes(`sqref="I2:I1048576"><formula1>'Lists'!$A$1:$A$300</formula1>`));
      assert.ok(xml.includes(`sqref="J2:J1048576"><formula1>'Lists'!$B$1:$B$2</formula1>`));
      assert.ok(xml.includes(`sqref="K2:K1048576"><formula1>'Lists'!$C$1:$C$2</formula1>`));
      assert.match(xml, /<col min="12" [^>]*style="2"\/>/);
      // What is required depends on the category of the item.
      for (const column of ['G', 'H']) assert.match(xml, new RegExp(`<c r="${column}1" s="4"`));
      await caller.post(`${CATEGORY}/item-attribute`, { id: disk.id, itemAttributes: [{ name: 'Colour' }] });
      const ofDisk = sheet(await workbook(await caller.post(ITEMS, { categoryId: disk.id, format: 'XLSX' })));
      assert.deepEqual(headerOf(ofDisk)[5], 'Colour');
      assert.match(ofDisk, /<c r="F1" s="5"/);
      const lists = parts.get('xl/worksheets/sheet2.xml') ?? '';
      assert.ok(lists.includes('<t>Option 299</t>') && lists.includes('<v>1.5</v>') && lists.includes('<t>a,b</t>'));
      assert.match(parts.get('xl/workbook.xml') ?? '', /<sheet name="Lists" sheetId="2" state="hidden"/);
    });

    it('are there for attributes, bundles and categories', async () => {
      for (const [path, first] of [
        ['/attribute-import-templates', 'Attribute Title'],
        ['/bundle-import-templates', 'Category Node'],
        ['/category-import-templates', 'Category Path'],
      ] as const) {
        const csvHeader = csv(await caller.post(path, {}))
          .trim()
          .replaceAll('"', '')
          .split(',');
        const xml = sheet(await workbook(await caller.post(path, { format: 'XLSX' })));
        assert.equal(headerOf(xml)[0], first);
        assert.equal(headerOf(xml).join(',').split(',').length, csvHeader.length);
      }
      const xml = sheet(await workbook(await caller.post('/attribute-import-templates', { format: 'XLSX' })));
      assert.ok(xml.includes(`"${FILE_TYPES.join(',')}"`));
    });
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
