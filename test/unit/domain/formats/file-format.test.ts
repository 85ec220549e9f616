import assert from 'node:assert/strict';
import {
  contentTypeOf,
  fileFormat,
  formatOf,
  writtenContentTypeOf,
} from '../../../../src/domain/formats/file-format.js';

describe('the format of a file', () => {
  for (const [name, expected, type] of [
    ['a.csv', { format: 'CSV', gzip: false, extension: 'csv' }, 'text/csv'],
    ['a.TSV', { format: 'TSV', gzip: false, extension: 'tsv' }, 'text/tab-separated-values'],
    ['a.json', { format: 'JSON', gzip: false, extension: 'json' }, 'application/json'],
    ['a.jsonl', { format: 'JSONL', gzip: false, extension: 'jsonl' }, 'application/x-ndjson'],
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

  it('is none for names with another ending', () => {
    for (const name of ['a.gz', 'a.xls', 'a.constructor', 'a.csv.bz2']) {
      assert.equal(fileFormat(name), undefined, name);
      assert.throws(() => formatOf(name), /no importable ending/);
    }
  });
});
