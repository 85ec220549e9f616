/** Categories in bulk: as JSON and from files of every format, with parents anywhere in the input. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { forEachBackend } from '../../support/for-each-backend.js';
import { exportText } from '../../support/http/exporting.js';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { addItems } from '../../support/worlds/catalog-rows.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';
const HEADER = 'Category Path,Type,Order,Active,Item Attributes';

const importCsv = (shop: Shop, lines: readonly string[], options = {}, header = HEADER): Promise<Outcome> =>
  shop.importFile('categories.csv', `${[header, ...lines].join('\n')}\n`, options, { type: 'CATEGORY_IMPORT' });

const counts = ({ created, updated, unchanged, failed }: Outcome) => ({ created, updated, unchanged, failed });

describe('categories in bulk', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const categoryAt = async (path: string) => {
    const { data } = await shop.ask('GET', `${CATEGORY}?limit=100`);
    return data.find(
      ({ breadcrumbs }: { breadcrumbs: { name: string }[] }) => breadcrumbs.map(({ name }) => name).join('->') === path,
    );
  };
  const attributesAt = async (path: string) =>
    (await categoryAt(path)).attributes.map(({ name, required, inherited }: Record<string, unknown>) => [
      name,
      required,
      inherited,
    ]);
  const version = async (): Promise<number> =>
    (await world.db('site').where({ id: shop.siteId }).first('definitions_version')).definitions_version;

  describe('as JSON', () => {
    it('makes parents that stand later in the same array', async () => {
      const { status, body } = await shop.bulkCategories([
        { name: 'SSD', parentNodeName: 'PRIMARY->Storage->Disk' },
        { name: 'Disk', parentNodeName: 'Storage', order: 2 },
        { name: 'Storage' },
        { name: 'HDMI -> DVI', parentNodeName: 'Cables' },
        { name: 'Gold', parentNodeName: 'Cables->HDMI \\-> DVI' },
        { name: 'Cables', active: false },
        { name: 'Beach', parentNodeName: 'Summer', type: 'ALTERNATE' },
        { name: 'Summer', type: 'ALTERNATE' },
      ]);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body.categories.failed, []);
      assert.deepEqual(
        body.categories.success.map(({ path, message }: Record<string, string>) => `${path} ${message}`),
        [
          'PRIMARY->Storage->Disk->SSD created',
          'PRIMARY->Storage->Disk created',
          'PRIMARY->Storage created',
          'PRIMARY->Cables->HDMI \\-> DVI created',
          'PRIMARY->Cables->HDMI \\-> DVI->Gold created',
          'PRIMARY->Cables created',
          'Summer->Beach created',
          'Summer created',
        ],
      );
      assert.deepEqual(await shop.outline(), [
        ['PRIMARY', ['Storage', ['Disk', ['SSD']]], ['Cables', ['HDMI -> DVI', ['Gold']]]],
        ['Summer', ['Beach']],
      ]);
      const ssd = await categoryAt('PRIMARY->Storage->Disk->SSD');
      assert.deepEqual([ssd.id, ssd.nodeId], [body.categories.success[0].id, body.categories.success[0].nodeId]);
      assert.equal((await categoryAt('PRIMARY->Cables')).active, false);
    });

    it('changes what it names and leaves alone what it does not; unchanged rows write nothing', async () => {
      await shop.bulkCategories([{ name: 'Storage', order: 3, active: false }, { name: 'Cables' }]);
      const before = await version();
      const same = await shop.bulkCategories([
        { name: ' STORAGE ', order: 3 },
        { name: 'Cables', type: 'PRIMARY' },
      ]);
      assert.deepEqual(
        same.body.categories.success.map(({ message }: { message: string }) => message),
        ['unchanged', 'unchanged'],
      );
      assert.equal(await version(), before);
      const changed = await shop.bulkCategories([
        { name: 'Storage', order: null },
        { name: 'Cables', active: false },
      ]);
      assert.deepEqual(
        changed.body.categories.success.map(({ message }: { message: string }) => message),
        ['updated', 'updated'],
      );
      assert.equal(await version(), before + 1, 'one count for the whole input');
      const { order, active, name } = await categoryAt('PRIMARY->Storage');
      assert.deepEqual([name, order, active], ['Storage', 0, false]);
    });

    it('takes the parent by node id or id, in either tree', async () => {
      const top = await shop.ask('POST', CATEGORY, { body: { name: 'Storage' } });
      const summer = await shop.ask('POST', CATEGORY, { body: { name: 'Summer', type: 'ALTERNATE' } });
      const { body } = await shop.bulkCategories([
        { name: 'Disk', parentNodeId: top.nodeId },
        { name: 'Tape', parentNodeId: String(top.nodeId) },
        { name: 'Beach', parentId: summer.id },
        { name: 'Sea', parentNodeName: 'Summer->Beach', type: 'ALTERNATE' },
        { name: 'Lost', parentNodeId: 4711 },
        { name: 'disk', parentNodeName: 'Storage' },
      ]);
      assert.deepEqual(
        body.categories.success.map(({ path }: { path: string }) => path),
        ['PRIMARY->Storage->Tape', 'Summer->Beach', 'Summer->Beach->Sea', 'PRIMARY->Storage->disk'],
      );
      const failed = body.categories.failed.map((row: { index: number; errors: { code: string; path: string }[] }) => [
        row.index,
        row.errors[0]?.code,
        row.errors[0]?.path,
      ]);
      assert.deepEqual(failed, [
        [0, 'NAME_DUPLICATE_IN_REQUEST', 'name'],
        [4, 'NODE_NOT_FOUND', 'parentNodeId'],
      ]);
    });

    it('sets the attributes of a category to those listed, in their order', async () => {
      await shop.define({ attributes: ['Title', 'Colour', 'Size'] });
      const listed = (itemAttributes: unknown) => shop.bulkCategories([{ name: 'Storage', itemAttributes }]);
      await listed([{ name: 'title', mandatory: true }, { name: 'Colour' }]);
      assert.deepEqual(await attributesAt('PRIMARY->Storage'), [
        ['Title', true, false],
        ['Colour', false, false],
      ]);
      const same = await listed([
        { name: 'Title', mandatory: true },
        { name: 'Colour', mandatory: false },
      ]);
      assert.equal(same.body.categories.success[0].message, 'unchanged');
      await listed([{ name: 'Size' }, { name: 'Title' }]);
      assert.deepEqual(await attributesAt('PRIMARY->Storage'), [
        ['Size', false, false],
        ['Title', false, false],
      ]);
      assert.equal((await listed(undefined)).body.categories.success[0].message, 'unchanged');
      await listed(null);
      assert.deepEqual(await attributesAt('PRIMARY->Storage'), []);
    });

    it('tells what is wrong with each element', async () => {
      await shop.define({ attributes: ['Title'] });
      await shop.bulkCategories([{ name: 'Summer', type: 'ALTERNATE' }]);
      const bad: [unknown, string, string | null, RegExp][] = [
        [7, 'ROW_NOT_OBJECT', null, /an object such as/],
        [{}, 'NAME_REQUIRED', 'name', /no name/],
        [{ name: '  ' }, 'NAME_REQUIRED', 'name', /no name/],
        [{ name: 7 }, 'FIELD_INVALID', 'name', /must be a text, not the number 7/],
        [{ name: 'x'.repeat(256) }, 'FIELD_INVALID', 'name', /256 characters; at most 255/],
        [{ name: 'a\u0000b' }, 'INVALID_TEXT', 'name', /NUL/],
        [{ name: 'A', parent: 'B' }, 'FIELD_INVALID', 'parent', /did you mean "parentId"|fields are/],
        [{ name: 'A', order: 1.5 }, 'FIELD_INVALID', 'order', /whole number/],
        [{ name: 'A', order: 2 ** 31 }, 'FIELD_INVALID', 'order', /at most 2147483647/],
        [{ name: 'A', active: 'yes' }, 'FIELD_INVALID', 'active', /true or false/],
        [{ name: 'A', type: 'MAIN' }, 'FIELD_INVALID', 'type', /PRIMARY, ALTERNATE/],
        [{ name: 'A', path: 'B->A' }, 'FIELD_INVALID', 'path', /leave out their fields/],
        [{ name: 'A', parentNodeName: 'B', parentNodeId: 1 }, 'FIELD_INVALID', 'parentNodeName', /second time/],
        [{ name: 'A', parentNodeId: 'B' }, 'FIELD_INVALID', 'parentNodeId', /neither a node id/],
        [{ path: 'A->->B' }, 'NAME_REQUIRED', 'path', /between all arrows/],
        [
          { name: 'A', parentNodeName: 'Nowhere->At all' },
          'NODE_NOT_FOUND',
          'parentNodeName',
          /"PRIMARY->Nowhere->At all" does not exist, and no row/,
        ],
        [
          { name: 'B', itemAttributes: [{ name: 'Titl' }] },
          'ATTRIBUTE_NOT_FOUND',
          'itemAttributes[0]',
          /did you mean "Title"/,
        ],
        [
          { name: 'C', itemAttributes: [{ name: 'Title' }, { name: 'title' }] },
          'FIELD_INVALID',
          'itemAttributes[1]',
          /is listed twice/,
        ],
        [
          { name: 'A', itemAttributes: [{ mandatory: true }] },
          'FIELD_INVALID',
          'itemAttributes[0]',
          /by name or by attributeId/,
        ],
        [
          { name: 'Summer', type: 'ALTERNATE', itemAttributes: [{ name: 'Title' }] },
          'NODE_NOT_PRIMARY',
          'itemAttributes',
          /primary tree/,
        ],
        [{ name: 'primary', type: 'ALTERNATE' }, 'NAME_RESERVED', 'name', /reserved for the root/],
        [
          { path: Array.from({ length: 66 }, (_, level) => `L${level}`).join('->') },
          'CATEGORY_TOO_DEEP',
          'path',
          /66 levels/,
        ],
      ];
      const { body } = await shop.bulkCategories(bad.map(([element]) => element));
      const failed = new Map<number, { code: string; path: string | null; message: string }>(
        body.categories.failed.map(({ index, errors }: { index: number; errors: never[] }) => [index, errors[0]]),
      );
      for (const [index, [element, code, path, message]] of bad.entries()) {
        const given = failed.get(index);
        assert.deepEqual([given?.code, given?.path], [code, path], JSON.stringify(element));
        assert.match(given?.message ?? '', message);
      }
    });

    it('fails what is below a row that failed, naming it', async () => {
      const { body } = await shop.bulkCategories([
        { name: 'Leaf', parentNodeName: 'Top->Middle' },
        { name: 'Middle', parentNodeName: 'Top', itemAttributes: [{ name: 'Nothing' }] },
        { name: 'Top' },
      ]);
      assert.deepEqual(
        body.categories.failed.map((row: { index: number; errors: { code: string }[] }) => [
          row.index,
          row.errors[0]?.code,
        ]),
        [
          [0, 'NODE_NOT_FOUND'],
          [1, 'ATTRIBUTE_NOT_FOUND'],
        ],
      );
      assert.match(body.categories.failed[0].errors[0].message, /row 2, which would create it, was not applied/);
      assert.deepEqual(await shop.outline(), [['PRIMARY', ['Top']]]);
    });

    it('writes nothing in a dry run, and all or nothing under onError=abort', async () => {
      const rows = [{ name: 'Storage' }, { name: 'Disk', parentNodeName: 'Storage' }];
      const dry = await shop.bulkCategories(rows, '?validateOnly=true');
      assert.equal(dry.body.categories.success.length, 2);
      assert.deepEqual(await shop.outline(), []);
      const aborted = await shop.bulkCategories([...rows, { name: 'X', parentNodeName: 'Nowhere' }], '?onError=abort');
      assert.equal(aborted.body.categories.success.length, 0, JSON.stringify(aborted.body));
      assert.deepEqual(await shop.outline(), []);
    });

    it('keeps the leaf rule: a category that holds items takes no children, in either tree', async () => {
      const disk = await shop.category('Disk');
      await addItems(world.db, shop.siteId, [{ sku: 'A', node_id: disk }]);
      const summer = await shop.ask('POST', CATEGORY, { body: { name: 'Summer', type: 'ALTERNATE' } });
      await shop.ask('POST', `${CATEGORY}/item`, { body: { id: summer.id, items: [{ sku: 'A', action: 'SET' }] } });
      const { body } = await shop.bulkCategories([
        { name: 'SSD', parentNodeName: 'Disk' },
        { name: 'Beach', parentNodeName: 'Summer', type: 'ALTERNATE' },
        { name: 'Disk', order: 7 },
      ]);
      assert.deepEqual(
        body.categories.failed.map(({ errors }: { errors: { code: string }[] }) => errors[0]?.code),
        ['NODE_HOLDS_ITEMS', 'NODE_HOLDS_ITEMS'],
      );
      assert.equal(body.categories.success[0].message, 'updated');
    });

    it('is refused as a request where it is no array, empty or too long', async () => {
      assert.equal((await shop.bulkCategories({ name: 'A' })).status, 400);
      assert.equal((await shop.bulkCategories([])).status, 400);
      const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `C${index}` }));
      assert.equal((await shop.bulkCategories(many)).status, 413);
    });
  });

  describe('from files', () => {
    const TREE = [
      'Storage->Disk->SSD,PRIMARY,1,TRUE,Colour',
      'PRIMARY->Storage->Disk,,,,',
      'Storage,PRIMARY,2,FALSE,Title!;Colour',
      'Summer->Beach,ALTERNATE,,,',
      'Summer,alternate,,,',
    ];
    const OUTLINE = [
      ['PRIMARY', ['Storage', ['Disk', ['SSD']]]],
      ['Summer', ['Beach']],
    ];

    beforeEach(() => shop.define({ attributes: ['Title', 'Colour'] }));

    it('reads parents wherever they stand, and again without a change', async () => {
      const first = await importCsv(shop, TREE);
      assert.deepEqual(counts(first), { created: 5, updated: 0, unchanged: 0, failed: 0 });
      assert.deepEqual(await shop.outline(), OUTLINE);
      assert.deepEqual(await attributesAt('PRIMARY->Storage->Disk->SSD'), [
        ['Title', true, true],
        ['Colour', false, false],
      ]);
      const before = await version();
      const again = await importCsv(shop, TREE);
      assert.deepEqual(counts(again), { created: 0, updated: 0, unchanged: 5, failed: 0 });
      assert.equal(await version(), before);
    });

    it('reads every format, compressed too', async () => {
      const json = [
        { path: 'Storage->Disk', order: 1 },
        { name: 'Storage', itemAttributes: [{ name: 'Title', mandatory: true }] },
        { name: 'Summer', type: 'ALTERNATE' },
      ];
      const csv = [HEADER, 'Storage->Disk,,1,,', 'Storage,,,,Title!', 'Summer,ALTERNATE,,,'].join('\n');
      const jsonl = json.map((element) => JSON.stringify(element)).join('\n');
      const files: Record<string, string | Buffer> = {
        'c.csv': csv,
        'c.tsv': csv.replaceAll(',', '\t'),
        'c.json': JSON.stringify(json),
        'c.jsonl': jsonl,
        'c.csv.gz': gzipSync(csv),
        'c.jsonl.gz': gzipSync(jsonl),
      };
      for (const [name, content] of Object.entries(files)) {
        const fresh = await (await world.newShop()).define({ attributes: ['Title'] });
        const outcome = await fresh.importFile(name, content, {}, { type: 'CATEGORY_IMPORT' });
        assert.deepEqual(counts(outcome), { created: 3, updated: 0, unchanged: 0, failed: 0 }, name);
        assert.deepEqual(await fresh.outline(), [['PRIMARY', ['Storage', ['Disk']]], ['Summer']], name);
      }
    });

    it('leaves alone what a cell or a missing column does not say, and makes it the default for NULL', async () => {
      await importCsv(shop, ['Storage,,5,FALSE,Title!']);
      assert.deepEqual(counts(await importCsv(shop, ['storage,,,,'])), {
        created: 0,
        updated: 0,
        unchanged: 1,
        failed: 0,
      });
      const other = await importCsv(shop, ['Storage,6'], {}, 'category path,ORDER');
      assert.equal(other.updated, 1);
      const kept = await categoryAt('PRIMARY->Storage');
      assert.deepEqual([kept.order, kept.active, kept.attributes.length], [6, false, 1]);
      await importCsv(shop, ['Storage,NULL,NULL,NULL,NULL']);
      const cleared = await categoryAt('PRIMARY->Storage');
      assert.deepEqual([cleared.order, cleared.active, cleared.attributes.length], [0, true, 0]);
    });

    it('obeys its mode', async () => {
      await importCsv(shop, ['Storage,,,,']);
      const inserted = await importCsv(shop, ['Storage,,,,', 'Cables,,,,'], { mode: 'insert' });
      assert.deepEqual(places(inserted), [[2, 'Category Path', 'CATEGORY_EXISTS']]);
      const updated = await importCsv(shop, ['Storage,,9,,', 'Other,,,,'], { mode: 'update' });
      assert.deepEqual(places(updated), [[3, 'Category Path', 'NODE_NOT_FOUND']]);
      assert.equal(updated.updated, 1);
    });

    it('lets the last of two rows stand, the first in an insert, in each tree on its own', async () => {
      const lines = ['Storage,,1,,', 'PRIMARY->STORAGE,,2,,', 'Storage,ALTERNATE,3,,'];
      const last = await importCsv(shop, lines);
      assert.deepEqual(places(last), [[2, 'Category Path', 'NAME_DUPLICATE_IN_REQUEST']]);
      assert.equal(last.errorFile, null);
      assert.equal((await categoryAt('PRIMARY->STORAGE')).order, 2);
      const other = await (await world.newShop()).define({});
      const first = await importCsv(other, lines, { mode: 'insert' });
      assert.deepEqual(places(first), [[3, 'Category Path', 'NAME_DUPLICATE_IN_REQUEST']]);
    });

    it('answers an error file that can be mended', async () => {
      const outcome = await importCsv(shop, ['Storage,,many,,', 'Cables,SIDE,,maybe,', ',,7,,', 'Fine,,,,', 'Short']);
      assert.deepEqual(places(outcome), [
        [2, 'Order', 'FIELD_INVALID'],
        [3, 'Type', 'FIELD_INVALID'],
        [3, 'Active', 'FIELD_INVALID'],
        [4, 'Category Path', 'NAME_REQUIRED'],
        [6, null, 'ROW_FIELD_COUNT'],
      ]);
      assert.equal(outcome.status, 'COMPLETED_PARTIALLY');
      const { name, bytes } = await shop.download(outcome.errorFile ?? '');
      assert.equal(name, 'errors-categories.csv');
      const text = bytes.toString('utf8');
      assert.match(text, /Category Path,Type,Order,Active,Item Attributes,_row,_column,_code,_message/);
      const corrected = text.replace('Storage,,many', 'Storage,,4').replace('Cables,SIDE,,maybe', 'Cables,,,yes');
      const again = await shop.importFile(name, corrected, {}, { type: 'CATEGORY_IMPORT' });
      assert.deepEqual([again.created, again.failed], [3, 1]);
    });

    it('rejects a header that it cannot read', async () => {
      const rejected: [string, string][] = [
        ['Path,Type', 'UNKNOWN_COLUMN'],
        ['Type,Order', 'MISSING_COLUMN'],
        ['Category Path,category path', 'DUPLICATE_COLUMN'],
      ];
      for (const [header, reason] of rejected) {
        const outcome = await importCsv(shop, ['a,b'], {}, header);
        assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', reason]);
      }
      const ignored = await importCsv(shop, ['Storage,x'], {}, 'Category Path,_note');
      assert.equal(ignored.created, 1);
    });

    it('reads what an export writes: nothing changes here, and an empty site becomes the same', async () => {
      await shop.define({ attributes: [';', 'a!', 'NULL', '\\x'] });
      await importCsv(shop, TREE);
      await shop.bulkCategories([
        { name: '->', parentNodeName: 'Storage', itemAttributes: [{ name: ';', mandatory: true }, { name: 'a!' }] },
        { name: 'NULL', active: false, order: -3, itemAttributes: [{ name: 'NULL' }] },
        { name: 'PRIMARY', itemAttributes: [{ name: '\\x' }] },
        { path: 'PRIMARY', itemAttributes: [{ name: 'Title' }] },
        { name: 'Zebra' },
        { name: 'Aardvark' },
        { name: 'Sea', parentNodeName: 'Summer', type: 'ALTERNATE', order: -1 },
      ]);
      for (const format of ['CSV', 'JSONL']) {
        const text = await exportText(shop, { entity: 'category', body: { format } });
        const name = `tree.${format.toLowerCase()}`;
        const again = await shop.importFile(name, text, {}, { type: 'CATEGORY_IMPORT' });
        assert.deepEqual(counts(again), { created: 0, updated: 0, unchanged: 12, failed: 0 });
        const copy = await (await world.newShop()).define({
          attributes: ['Title', 'Colour', ';', 'a!', 'NULL', '\\x'],
        });
        const outcome = await copy.importFile(name, text, {}, { type: 'CATEGORY_IMPORT' });
        assert.deepEqual(counts(outcome), { created: 12, updated: 0, unchanged: 0, failed: 0 });
        assert.deepEqual(await copy.outline(), await shop.outline());
        assert.equal(await exportText(copy, { entity: 'category', body: { format } }), text);
      }
    });

    it('offers a template that it reads', async () => {
      const answer = await shop.call('POST', '/category-import-templates');
      assert.equal(answer.status, 200);
      assert.equal(answer.bytes.toString('utf8'), `\uFEFF${HEADER}\r\n`);
      assert.match(answer.headers.get('content-disposition') ?? '', /category-import-template\.csv/);
    });
  });
});

describe('categories in bulk, in the line of their site', () => {
  forEachBackend((backend) => {
    let world: World;
    before(async () => {
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl });
    });
    after(() => world.stop());

    it('are there for items that were accepted after them, and not for those before', async () => {
      const shop = await (await world.newShop()).define({ attributes: ['Title'] });
      const items = (sku: string) => shop.upload('items.csv', `SKU,Category Node\n${sku},Storage->Disk\n`);
      const before = await items('A');
      const tree = await shop.upload(
        'tree.csv',
        'Category Path\nStorage->Disk\nStorage\n',
        {},
        { type: 'CATEGORY_IMPORT' },
      );
      const after = await items('B');
      const outcomes = [await shop.outcome(before), await shop.outcome(tree), await shop.outcome(after)];
      assert.deepEqual(
        outcomes.map(({ created, failed }) => [created, failed]),
        [
          [0, 1],
          [2, 0],
          [1, 0],
        ],
      );
    });

    it('do not put children below a leaf that items before them fill', async () => {
      const shop = await world.newShop();
      await shop.category('Disk');
      const items = await shop.upload('items.csv', 'SKU,Category Node\nA,Disk\nB,Disk\nC,Disk\nD,Disk\n');
      const { body } = await shop.bulkCategories([{ name: 'SSD', parentNodeName: 'Disk' }]);
      assert.equal((await shop.outcome(items)).created, 4);
      assert.equal(body.categories.failed[0]?.errors[0].code, 'NODE_HOLDS_ITEMS');
    });
  });
});
