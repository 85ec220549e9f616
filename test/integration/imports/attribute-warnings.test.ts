/** Warnings of attribute files: numbers of rules that could be read both ways, and columns of the format without effect. */
import assert from 'node:assert/strict';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { workbookOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const TYPE = { type: 'ATTRIBUTE_IMPORT' } as const;
const HEADER = ['Attribute Title', 'Type of Attribute', 'Decimal', 'Min', 'Max', 'Value 1', 'Value 2'];

const lines = ({ warnings }: Pick<Outcome, 'warnings'>) =>
  warnings.map(({ code, path, count, rows }) => [code, path, count, rows]);

describe('warnings of attribute files', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 3 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const csv = (...rows: string[]) => [HEADER.join(';'), ...rows].join('\n');
  const importCsv = (text: string, options = {}) => shop.importFile('a.csv', text, options, TYPE);
  const range = async (name: string) => {
    const { data } = await shop.ask('GET', '/api-product/v1/product/attribute?limit=100');
    return data.find((one: { name: string }) => one.name === name)?.validation.range;
  };

  it('a number of a rule that could be read both ways is one, in every import of it, until something decides it', async () => {
    const rows = ['Price;NUMBER;TRUE;1.000;2.500;;', 'Size;LOV;TRUE;;;1.500;2.250', 'Code;SHORT TEXT;;;;1.500;2.250'];
    const expected = [
      ['NUMBER_AMBIGUOUS', 'Min', 1, '2'],
      ['NUMBER_AMBIGUOUS', 'Max', 1, '2'],
      ['NUMBER_AMBIGUOUS', 'Value 1', 1, '3'],
      ['NUMBER_AMBIGUOUS', 'Value 2', 1, '3'],
    ];
    const first = await importCsv(csv(...rows));
    assert.deepEqual([first.status, first.created, lines(first)], ['COMPLETED', 3, expected]);
    assert.match(first.warnings[1]?.example ?? '', /^"2\.500" was read as 2\.5, and no number of the column tells/);
    const again = await importCsv(csv(...rows));
    assert.deepEqual([again.unchanged, lines(again)], [3, expected]);
    // The numbers of all values are one list; in whatever chunk one is, it decides the others.
    const decided = await importCsv(csv(...rows, 'A;BOOLEAN;;;;;', 'Cost;NUMBER;TRUE;;12.5;;', 'B;LOV;TRUE;;;3;0.5'));
    assert.deepEqual(lines(decided), expected.slice(0, 1));
    assert.deepEqual(lines(await importCsv(csv(...rows), { decimalSeparator: '.' })), []);
    const commas = await importCsv(csv('Price;NUMBER;TRUE;1,000;2,500;;'), { decimalSeparator: ',' });
    assert.deepEqual([commas.unchanged, lines(commas)], [1, []]);
    assert.deepEqual(await range('Price'), { min: 1, max: 2.5 });
  });

  it('a refused number with the other separator casts doubt on all of them', async () => {
    const outcome = await importCsv(csv('Price;NUMBER;TRUE;1.000;2.5;;', 'Cost;NUMBER;TRUE;;12,50;;'));
    assert.deepEqual([outcome.created, outcome.failed], [1, 1]);
    assert.deepEqual(lines(outcome), [['NUMBER_AMBIGUOUS', 'Min', 1, '2']]);
    assert.match(outcome.warnings[0]?.example ?? '', /but "12,50" in the column "Max" has another decimal separator/);
  });

  it('JSON and the numbers of workbooks are decided', async () => {
    const price = { name: 'Price', type: 'DECIMAL', validation: { range: { min: '1.000', max: '2.500' } } };
    assert.deepEqual(lines(await shop.importFile('a.json', JSON.stringify([price]), {}, TYPE)), []);
    const row = (min: unknown) => ['Price', 'NUMBER', 'TRUE', min, 2.125, null, null];
    const typed = await shop.importFile('a.xlsx', await workbookOf(HEADER, [row(1.125)] as never), {}, TYPE);
    assert.deepEqual([typed.updated, lines(typed)], [1, []]);
    const text = await shop.importFile('a.xlsx', await workbookOf(HEADER, [row('1.125')] as never), {}, TYPE);
    assert.deepEqual([text.unchanged, lines(text)], [1, [['NUMBER_AMBIGUOUS', 'Min', 1, '2']]]);
  });

  it('values of Method and Size have no effect, and their rows are applied', async () => {
    const text = 'Attribute Title,Type of Attribute,Method,Size\nA,SERIAL,AUTO,10\nB,SHORT TEXT,NULL,\nC,DATE,,80\n';
    for (const outcome of [await importCsv(text), await importCsv(text)]) {
      assert.deepEqual([outcome.created + outcome.unchanged, outcome.failed], [3, 0]);
      assert.deepEqual(lines(outcome), [
        ['VALUE_IGNORED', 'Size', 2, '2, 4'],
        ['VALUE_IGNORED', 'Method', 1, '2'],
      ]);
      assert.match(outcome.warnings[1]?.example ?? '', /^"AUTO" has no effect: this column of the format stands for/);
    }
  });
});
