/** Formulas of workbooks: their saved results are imported, and a formula without one fails its row. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { places, type Shop } from '../../support/http/shop.js';
import { workbookFile } from '../../support/models/workbook-file.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const FIXTURES = new URL('../../../../test/fixtures/', import.meta.url);

describe('formulas of workbooks', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Weight', type: 'DECIMAL' }, { name: 'Stock', type: 'INTEGER' }],
      categories: { Disk: ['Title', 'Weight', 'Stock'] },
    });
  });

  const imported = async (name: string) =>
    shop.importFile(name, await readFile(new URL(name, FIXTURES)), { mode: 'upsert' });

  it('of openpyxl, which saves no results, fail their rows, and the items keep what they have', async () => {
    await shop.importFile('a.csv', 'SKU,Category Node,Weight\ncalculated,Disk,9.5\n');
    const outcome = await imported('openpyxl-formulas.xlsx');
    assert.deepEqual(places(outcome), [
      [3, 'Weight', 'VALUE_TYPE'],
      [4, 'Title', 'VALUE_TYPE'],
      [4, 'Stock', 'VALUE_TYPE'],
      [6, 'Weight', 'VALUE_TYPE'],
      [7, 'Weight', 'VALUE_TYPE'],
      [8, 'Weight', 'VALUE_TYPE'],
    ]);
    assert.match(outcome.errors[0]?.message ?? '', /holds a formula whose result is not in the file: open the file/);
    assert.deepEqual([outcome.created, outcome.failed], [2, 5]);
    assert.deepEqual((await shop.item('calculated'))?.attributes, { Weight: '9.5' });
    assert.deepEqual((await shop.item('empty'))?.attributes, { Weight: '1' });
    // A formula without a result is in the error file, too, so that sending it again does not lose the value.
    const again = await shop.importFile('again.xlsx', (await shop.download(outcome.errorFile ?? '')).bytes);
    assert.equal(again.failed, 5);
  });

  it('of xlsxwriter, which saves 0 where it was given no result, fail their rows', async () => {
    const outcome = await imported('xlsxwriter-formulas.xlsx');
    assert.deepEqual(places(outcome), [
      [3, 'Weight', 'VALUE_TYPE'],
      [6, 'Weight', 'VALUE_TYPE'],
      [7, 'Weight', 'VALUE_TYPE'],
      [8, 'Weight', 'VALUE_TYPE'],
    ]);
    assert.match(outcome.errors[1]?.message ?? '', /#DIV\/0!/);
    assert.deepEqual((await shop.item('plain'))?.attributes, { Title: 'kept', Weight: '0', Stock: 1 });
    assert.deepEqual((await shop.item('with result'))?.attributes, { Title: 'b', Weight: '1.5', Stock: 3 });
    assert.deepEqual((await shop.item('empty'))?.attributes, { Title: 'c', Stock: 4 });
  });

  it('of LibreOffice have their results, those of arrays too', async () => {
    const outcome = await imported('libreoffice-formulas.xlsx');
    assert.deepEqual(places(outcome), [[6, 'Weight', 'VALUE_TYPE']]);
    assert.deepEqual((await shop.item('calculated'))?.attributes, { Title: 'a', Weight: '3', Stock: 2 });
    assert.deepEqual((await shop.item('joined'))?.attributes, { Title: 'plain disk', Weight: '1', Stock: 3 });
    assert.deepEqual((await shop.item('empty'))?.attributes, { Weight: '1' });
    assert.deepEqual((await shop.item('array 2'))?.attributes, { Title: 'd', Weight: '10', Stock: 5 });
  });

  it('fail whatever their form is, and only "" and an empty text are an empty cell', async () => {
    const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
    const forms: [cell: string, isMissing: boolean][] = [
      ['<c><f>C2*1.2</f><v /></c>', true],
      ['<c><f>C2*1.2</f><v></v></c>', true],
      ['<c><f>C2*1.2</f></c>', true],
      ['<c t="n"><f>C2*1.2</f><v/></c>', true],
      ['<c t="str"><f>C2*1.2</f></c>', true],
      ['<c t="b"><f>1=1</f><v/></c>', true],
      ['<c t="e"><f>1/0</f><v/></c>', true],
      ['<c t="s"><f>C2</f><v/></c>', true],
      ['<c><f t="shared" ref="C2:C20" si="0">B2*2</f><v/></c>', true],
      ['<c><f t="shared" si="0"/><v/></c>', true],
      ['<c><f t="shared" si="0"/></c>', true],
      ['<c><f t="dataTable" ref="C2:C3" dt2D="1" r1="A1" r2="A2"/><v/></c>', true],
      ['<c t="str"><f>C2*1.2</f><v></v></c>', false],
      ['<c t="str"><f>C2*1.2</f><v/></c>', false],
      ['<c><f>""</f><v/></c>', false],
      ['<c><f>""</f></c>', false],
      ['<c><f aca="false">&quot;&quot;</f><v></v></c>', false],
      ['<c><f>C2*1.2</f><v>0</v></c>', false],
      ['<c><v/></c>', false],
    ];
    const rows = [
      ['SKU', 'Category Node', 'Weight'].map(text).join(''),
      ...forms.map(([cell], index) => `${text(`k${index}`)}${text('Disk')}${cell}`),
    ];
    const workbook = await workbookFile({ rows: rows.map((row) => `<row>${row}</row>`).join('') });
    const outcome = await shop.importFile('forms.xlsx', workbook);
    assert.deepEqual(
      places(outcome),
      forms.flatMap(([, isMissing], index) => (isMissing ? [[index + 2, 'Weight', 'VALUE_TYPE']] : [])),
    );
  });
});
