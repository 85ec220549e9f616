/** Files as programs and people really write them, and what a job says about how it was executed. */
import assert from 'node:assert/strict';
import type { FormatOption } from '../../../src/domain/formats/file-formats/definition.js';
import { withReaderOfRun } from '../../support/for-each-reader.js';
import { exportText } from '../../support/http/exporting.js';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';
const counts = ({ created, updated, unchanged, failed }: Outcome) => ({ created, updated, unchanged, failed });

withReaderOfRun('files without dead ends', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: [
        'Title',
        { name: 'ISBN', type: 'TEXT', validation: { required: true } },
        { name: 'Voice', type: 'TEXT', validation: { required: true, inheritable: true } },
      ],
      categories: { Books: ['Title', 'ISBN'], Hats: ['Title'], Audio: ['Title', 'Voice'] },
    });
  });
  const importCsv = (...lines: string[]) => shop.importFile('items.csv', lines.join('\r\n'));

  describe('a required attribute', () => {
    it('that only one category has leaves the others usable', async () => {
      const rows = ['SKU,Category Node,ISBN,Voice', 'hat,Hats,,', 'book,Books,1,', 'bare,Books,,', 'mute,Audio,,'];
      const outcome = await importCsv(...rows);
      assert.deepEqual(places(outcome), [
        [4, 'ISBN', 'ATTRIBUTE_REQUIRED'],
        [5, 'Voice', 'ATTRIBUTE_REQUIRED'],
      ]);
      assert.deepEqual(
        (await shop.items()).map(({ sku }) => sku),
        ['book', 'hat'],
      );
    });

    it('is judged when an item is created, moved or cleared, and by templates alike', async () => {
      await importCsv('SKU,Category Node,ISBN', 'hat,Hats,', 'cap,Hats,', 'book,Books,1');
      const moved = await importCsv('SKU,Category Node,ISBN', 'hat,Books,', 'cap,Books,2', 'book,Hats,');
      assert.deepEqual(places(moved), [[2, 'ISBN', 'ATTRIBUTE_REQUIRED']]);
      const cleared = await importCsv('SKU,ISBN,Title', 'cap,NULL,', 'hat,,still', 'book,NULL,');
      assert.deepEqual(places(cleared), [[2, 'ISBN', 'ATTRIBUTE_REQUIRED']]);
      assert.deepEqual(counts(cleared), { created: 0, updated: 2, unchanged: 0, failed: 1 });
    });

    it('that is assigned to a category with items warns and changes none', async () => {
      await importCsv('SKU,Category Node', 'hat,Hats', 'cap,Hats');
      const { nodeId } = (await shop.ask('GET', `${CATEGORY}?keyword=Hats`)).data[0];
      const body = { nodeId, itemAttributes: [{ name: 'ISBN' }] };
      const answer = await shop.ask('POST', `${CATEGORY}/item-attribute`, { body });
      assert.deepEqual(
        answer.warnings.map(({ code, path }: Record<string, string>) => [code, path]),
        [['REQUIRED_WITHOUT_VALUE', 'ISBN']],
      );
      assert.equal((await shop.ask('POST', `${CATEGORY}/item-attribute`, { body })).warnings, undefined, 'once');
      assert.deepEqual(
        (await shop.items()).map(({ status }) => status),
        ['LIVE', 'LIVE'],
      );
      assert.equal((await importCsv('SKU,Title', 'hat,New')).updated, 1);
      const empty = await shop.category('Coats');
      const fresh = { nodeId: empty, itemAttributes: [{ name: 'ISBN' }] };
      assert.equal((await shop.ask('POST', `${CATEGORY}/item-attribute`, { body: fresh })).warnings, undefined);
    });
  });

  it('columns without a name and rows of empty cells are skipped', async () => {
    const outcome = await importCsv(
      ',,,,',
      'SKU,Category Node,Title,,',
      'a,Hats,A,,',
      ',,,,',
      'b,Hats,B, ,',
      ',,',
      'c,Hats,C,,surplus',
      ',,,,',
      ',,,,',
    );
    assert.deepEqual([outcome.total, outcome.created], [3, 2]);
    assert.deepEqual(places(outcome), [[7, null, 'ROW_FIELD_COUNT']]);
    assert.match(outcome.errors[0]?.message ?? '', /Cell 5 holds "surplus", but its column has no name/);
    const again = await importCsv('SKU,Category Node,Title,,', 'a,Hats,A,,', ',,,,', 'b,Hats,B,,');
    assert.deepEqual(counts(again), { created: 0, updated: 0, unchanged: 2, failed: 0 });
  });

  it('columns without a name are skipped in files of attributes and categories, too', async () => {
    const attributes = 'Attribute Title,Type of Attribute,\nA,BOOLEAN,\n,,\nB,BOOLEAN,x\n';
    const first = await shop.importFile('a.csv', attributes, {}, { type: 'ATTRIBUTE_IMPORT' });
    assert.deepEqual([first.created, places(first)], [1, [[4, null, 'ROW_FIELD_COUNT']]]);
    const categories = 'Category Path,\nToys,\n,\nGames,x\n';
    const second = await shop.importFile('c.csv', categories, {}, { type: 'CATEGORY_IMPORT' });
    assert.deepEqual([second.created, places(second)], [1, [[4, null, 'ROW_FIELD_COUNT']]]);
  });

  it('the line sep=; names the delimiter', async () => {
    const rows = (separator: string) =>
      [`SKU,Category Node,Title`, `a,Hats,"1${separator}2"`].map((line) => line.replaceAll(',', separator));
    for (const [first, separator] of [
      ['sep=;', ';'],
      ['\ufeffSEP=|', '|'],
      ['"sep=\t"', '\t'],
      ['sep=,', ','],
      ['sep=^', '^'],
    ] as const) {
      const outcome = await importCsv(first, ...rows(separator), ['b', 'Nowhere', 'x'].join(separator));
      assert.deepEqual(places(outcome), [[4, 'Category Node', 'NODE_NOT_FOUND']], first);
      assert.equal((await shop.item('a'))?.attributes.Title, `1${separator}2`);
    }
    const named = await shop.importFile('i.csv', 'sep=,\nSKU;Title\na;x,y\n', { delimiter: ';' });
    assert.equal(named.updated, 1, 'the option has precedence');
    assert.equal((await shop.importFile('i.csv', 'sep=;')).reason, 'EMPTY_FILE');
  });

  it('detach works in Parent SKU of files and of JSON alike', async () => {
    await shop.bulk('insert', [
      { sku: 'p', nodeName: 'Audio', attributes: { Voice: 'Ann' } },
      ...['a', 'b', 'c'].map((sku) => ({ sku, nodeName: 'Audio', parentSku: 'p' })),
      { sku: 'detach', nodeName: 'Audio', attributes: { Voice: 'Bob' } },
      { sku: '\\detach', nodeName: 'Audio', attributes: { Voice: 'Eve' } },
    ]);
    const outcome = await importCsv('SKU,Parent SKU', 'a,detach', 'c,\\detach');
    assert.deepEqual(counts(outcome), { created: 0, updated: 2, unchanged: 0, failed: 0 }, JSON.stringify(outcome));
    const { status } = await shop.bulk('update', [{ sku: 'b', parentSku: 'detach' }]);
    assert.equal(status, 200);
    await shop.bulk('insert', [{ sku: 'd', nodeName: 'Audio', parentSku: '\\\\detach' }]);
    const items = Object.fromEntries((await shop.items()).map((item) => [item.sku, item]));
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((sku) => [items[sku]?.parentSku, items[sku]?.attributes.Voice]),
      [
        [null, 'Ann'],
        [null, 'Ann'],
        ['detach', 'Bob'],
        ['\\detach', 'Eve'],
      ],
    );
    for (const format of ['CSV', 'JSONL']) {
      const text = await exportText(shop, { body: { format } });
      const again = await shop.importFile(`items.${format.toLowerCase()}`, text);
      assert.deepEqual(counts(again), { created: 0, updated: 0, unchanged: 7, failed: 0 }, text);
    }
  });

  it('a job shows the options that it was given', async () => {
    const options = { mode: 'update', delimiter: ';', decimalSeparator: ',', dateFormat: 'dd.MM.yyyy' };
    const jobId = await shop.upload('i.csv', 'SKU\na\n', options);
    await shop.outcome(jobId);
    const job = await shop.ask('GET', `/jobs/${jobId}`);
    assert.deepEqual(job.options, { ...options, onError: 'skip', validateOnly: false });
    const { body } = await shop.bulk('insert', [{ sku: 'x', nodeName: 'Hats' }], { query: 'validateOnly=true' });
    const inline = await shop.ask('GET', `/jobs/${body.jobId}`);
    assert.deepEqual(inline.options, { mode: 'insert', onError: 'skip', validateOnly: true });
    const each: Readonly<Record<FormatOption, string | boolean>> = {
      delimiter: ';',
      decimalSeparator: ',',
      dateFormat: 'dd.MM.yyyy',
      encoding: 'windows-1252',
      sheet: 'S',
      escapeFormulas: true,
    };
    for (const [option, value] of Object.entries(each)) {
      const fileName = option === 'sheet' ? 'i.xlsx' : 'i.csv';
      const announced = { fileName, fileType: 'ITEM_IMPORT', options: { [option]: value } };
      const { jobId: awaiting } = await shop.ask('POST', '/files/product', { body: announced });
      const shown = (await shop.ask('GET', `/jobs/${awaiting}`)).options;
      assert.deepEqual(shown, { mode: 'upsert', onError: 'skip', validateOnly: false, [option]: value });
    }
  });
});
