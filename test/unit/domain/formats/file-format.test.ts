/** The registry of file formats, and what a file is by its name. */
import assert from 'node:assert/strict';
import { EXPORT_FORMATS } from '../../../../src/domain/exports/model/export-format.js';
import {
  contentTypeOf,
  FILE_FORMATS,
  fileFormat,
  formatOf,
  formatsWhere,
  IMPORTABLE,
  writtenContentTypeOf,
  writtenName,
} from '../../../../src/domain/formats/file-format.js';
import { writeCsvTemplate, writeXlsxTemplate } from '../../../../src/domain/formats/write-template.js';

describe('the format of a file', () => {
  for (const [name, expected, type] of [
    ['a.csv', { format: 'CSV', gzip: false, extension: 'csv' }, 'text/csv'],
    ['a.TSV', { format: 'TSV', gzip: false, extension: 'tsv' }, 'text/tab-separated-values'],
    ['a.json', { format: 'JSON', gzip: false, extension: 'json' }, 'application/json'],
    ['a.jsonl', { format: 'JSONL', gzip: false, extension: 'jsonl' }, 'application/x-ndjson'],
    ['a.ods', { format: 'ODS', gzip: false, extension: 'ods' }, 'application/vnd.oasis.opendocument.spreadsheet'],
    ['a.XML.gz', { format: 'XML', gzip: true, extension: 'xml.gz' }, 'application/gzip'],
    ['a.xml', { format: 'XML', gzip: false, extension: 'xml' }, 'application/xml'],
    ['a.csv.ndjson', { format: 'JSONL', gzip: false, extension: 'ndjson' }, 'application/x-ndjson'],
    ['a.Csv.Gz', { format: 'CSV', gzip: true, extension: 'csv.gz' }, 'application/gzip'],
  ] as const) {
    it(`is told by its name: ${name}`, () => {
      assert.deepEqual(fileFormat(name), expected);
      assert.equal(contentTypeOf(formatOf(name)), type);
    });
  }

  it('says the charset of the text that we write, and no other', () => {
    assert.deepEqual(
      ['a.csv', 'a.tsv', 'a.json', 'a.csv.gz'].map((name) => writtenContentTypeOf(formatOf(name))),
      ['text/csv; charset=utf-8', 'text/tab-separated-values; charset=utf-8', 'application/json', 'application/gzip'],
    );
  });

  it('is XLSX when it is written from an OpenDocument spreadsheet, and CSV when from XML', () => {
    assert.deepEqual(['a.xml', 'a.xml.gz'].map(writtenName), ['a.csv', 'a.csv.gz']);
    assert.deepEqual(['a.ods', 'a.ODS.gz', 'a.ods.csv', 'a.csv'].map(writtenName), [
      'a.xlsx',
      'a.xlsx.gz',
      'a.ods.csv',
      'a.csv',
    ]);
  });

  it('is none for names with another ending', () => {
    for (const name of ['a.gz', 'a.xls', 'a.constructor', 'a.csv.bz2']) {
      assert.equal(fileFormat(name), undefined, name);
      assert.throws(() => formatOf(name), /no importable ending/);
    }
  });
});

describe('the file formats', () => {
  it('are found by each of their endings, and by no ending of another', () => {
    const endings = formatsWhere(() => true).flatMap((name) => FILE_FORMATS[name].extensions.map((one) => [one, name]));
    assert.equal(new Map(endings.map(([ending, name]) => [ending, name])).size, endings.length);
    for (const [ending, name] of endings) assert.equal(fileFormat(`a.${ending}`)?.format, name);
    assert.equal(IMPORTABLE, '.csv, .tsv, .xlsx, .ods, .json, .jsonl, .ndjson or .xml, each also with .gz');
  });

  it('that need a profile are those without columns or fields of ours', () => {
    assert.deepEqual(
      formatsWhere(({ needsProfile }) => needsProfile),
      ['XML'],
    );
  });

  it('that say how exports are written are those that exports offer', () => {
    // Parquet is only written.
    const importable = EXPORT_FORMATS.filter((format) => format !== 'PARQUET');
    assert.deepEqual(formatsWhere(({ exports }) => exports !== null).sort(), [...importable].sort());
  });

  it('write the templates that their readers find a header in', async () => {
    const columns = [{ title: 'SKU' }, { title: 'Size, "cm"; in' }];
    const bytes = writeCsvTemplate(columns);
    assert.equal(bytes.toString('utf8'), '\uFEFFSKU,"Size, ""cm""; in"\r\n');
    const workbook = await writeXlsxTemplate(columns, 'Items');
    assert.equal(workbook.subarray(0, 2).toString('latin1'), 'PK');
  });
});
