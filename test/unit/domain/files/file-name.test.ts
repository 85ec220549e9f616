import assert from 'node:assert/strict';
import { fileNameProblem } from '../../../../src/domain/files/file-name.js';

describe('the name of a file', () => {
  for (const name of [
    'items.csv',
    'items.xlsx',
    'items.XLSX.gz',
    'ITEMS.CSV',
    'a.tsv.gz',
    'a.b.json',
    'Größe & Maße.jsonl',
    '商品.ndjson',
    "it's (1)%20.csv",
    `${'a'.repeat(251)}.csv`,
  ]) {
    it(`may be ${name.slice(0, 30)}`, () => assert.equal(fileNameProblem(name), undefined));
  }

  for (const [name, problem] of [
    ['', /empty/],
    [`${'a'.repeat(252)}.csv`, /255/],
    ['../items.csv', /path separator/],
    ['a\\b.csv', /path separator/],
    ['a\r\nX: y.csv', /control/],
    ['a\u0000.csv', /control/],
    ['a\u0085.csv', /control/],
    ['\ud800.csv', /control/],
    ['gpj.\u202evsc.csv', /control/],
    ['items.xls', /no ending.*\.xlsx/],
    ['items.csv.zip', /no ending.*\.csv/],
    ['Unicode.TXT', /no ending.*\.txt is a table with a delimiter, such as tabs, name it \.csv/],
    ['items.tab.gz', /no ending.*name it \.csv/],
    ['items', /no ending/],
    ['csv', /no ending/],
    ['items.csv ', /no ending/],
  ] as const) {
    it(`may not be ${JSON.stringify(name.slice(-20))}`, () => assert.match(fileNameProblem(name) ?? '', problem));
  }
});
