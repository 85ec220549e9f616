import assert from 'node:assert/strict';
import { givenOptionsSchema, jobOptions, unsupportedOptions } from '../../../../src/domain/imports/given-options.js';

const messagesOf = (given: unknown): string => {
  const parsed = givenOptionsSchema.safeParse(given);
  assert.ok(!parsed.success, `${JSON.stringify(given)} was accepted`);
  return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
};

describe('the options of an import', () => {
  it('have defaults', () => {
    assert.deepEqual(jobOptions(givenOptionsSchema.parse({})), {
      mode: 'upsert',
      onError: 'skip',
      validateOnly: false,
      implied: ['mode', 'onError', 'validateOnly'],
    });
  });

  it('are kept as given', () => {
    const given = {
      mode: 'insert',
      onError: 'abort',
      validateOnly: true,
      delimiter: '\t',
      decimalSeparator: ',',
      dateFormat: "dd.MM.yyyy 'um' HH:mm",
      encoding: 'Windows-1252',
      callbackUrl: 'https://example.com/done?for=me',
    } as const;
    assert.deepEqual(jobOptions(givenOptionsSchema.parse(given)), given);
    for (const delimiter of [',', ';', '|']) assert.ok(givenOptionsSchema.safeParse({ delimiter }).success);
    for (const encoding of ['utf-8', 'UTF8', 'latin1', 'utf-16le']) {
      assert.ok(givenOptionsSchema.safeParse({ encoding }).success, encoding);
    }
  });

  for (const [given, message] of [
    [{ mode: 'replace' }, /^mode: .*"insert".*"upsert".*"update"/],
    [{ onError: 'stop' }, /^onError: .*"skip"/],
    [{ validateOnly: 'false' }, /^validateOnly: .*boolean/],
    [{ delimiter: ':' }, /^delimiter: expected a comma, a semicolon, a tab/],
    [{ delimiter: '' }, /^delimiter: expected/],
    [{ decimalSeparator: "'" }, /^decimalSeparator: expected "\." or ","/],
    [{ dateFormat: 'dd.mm.yyyy' }, /^dateFormat: .*MM is the month, mm the minutes/],
    [{ dateFormat: 'dd.MM.yy' }, /^dateFormat: .*century/],
    [{ dateFormat: '' }, /^dateFormat: is empty/],
    [{ dateFormat: 'x'.repeat(101) }, /^dateFormat: is longer/],
    [{ encoding: 'ebcdic' }, /^encoding: The encoding "ebcdic" is not known\. Name one of: utf-8/],
    [{ encoding: 'constructor' }, /^encoding: The encoding "constructor" is not known\./],
    [{ encoding: 1252 }, /^encoding: .*string/],
    [{ callbackUrl: 'ftp://example.com/done' }, /^callbackUrl: expected an address that begins with http/],
    [{ callbackUrl: `https://example.com/${'x'.repeat(2_000)}` }, /^callbackUrl: /],
    [{ separator: ';' }, /separator/],
    ['upsert', /object/],
  ] as const) {
    it(`are refused with the reason: ${JSON.stringify(given).slice(0, 60)}`, () => {
      assert.match(messagesOf(given), message);
    });
  }

  it('are told where the format of the file cannot heed them', () => {
    const all = { delimiter: ';', decimalSeparator: ',', dateFormat: 'dd.MM.yyyy', encoding: 'latin1', sheet: 'x' };
    const unsupported = (format: Parameters<typeof unsupportedOptions>[0]) =>
      unsupportedOptions(format, all).map(({ option }) => option);
    assert.deepEqual(unsupported('CSV'), ['sheet']);
    assert.deepEqual(unsupported('TSV'), ['sheet']);
    assert.deepEqual(unsupported('XLSX'), ['delimiter', 'encoding']);
    for (const format of ['JSON', 'JSONL'] as const) {
      assert.deepEqual(unsupported(format), ['delimiter', 'decimalSeparator', 'dateFormat', 'sheet']);
    }
    assert.deepEqual(unsupportedOptions('JSONL', { dateFormat: undefined }), []);
    const [{ message } = { message: '' }] = unsupportedOptions('JSONL', { dateFormat: 'dd.MM.yyyy' });
    assert.equal(message, 'applies only to CSV, TSV, XLSX, ODS, and this file is JSONL: leave it out');
  });
});
