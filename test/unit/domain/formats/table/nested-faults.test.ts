/** What is wrong with JSON and XML files, and how it is said. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { RejectReason } from '../../../../../src/domain/formats/model/rejected-input.js';
import type { SourceFormat } from '../../../../../src/domain/formats/model/source-format.js';
import { plan } from '../source-fixture.js';
import { assertNotATable, readTable, shownRows } from './table-fixture.js';

const MIB = 1024 * 1024;

interface Fault {
  readonly what: string;
  readonly format: SourceFormat;
  readonly text: string | Buffer;
  readonly rowPath?: string;
  readonly reason: RejectReason;
  readonly message: RegExp;
}

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join('');

const FAULTS: readonly Fault[] = [
  { what: 'an empty file', format: 'JSON', text: '', reason: 'EMPTY_FILE', message: /empty/ },
  { what: 'blanks', format: 'JSON', text: ' \n ', reason: 'EMPTY_FILE', message: /empty/ },
  { what: 'an empty list', format: 'JSON', text: '[]', reason: 'NO_ROWS', message: /no rows/ },
  { what: 'a single number', format: 'JSON', text: '42', reason: 'NO_ROWS', message: /no object/ },
  {
    what: 'a list of texts',
    format: 'JSON',
    text: '["a"]',
    rowPath: '.',
    reason: 'ROW_PATH_NOT_FOUND',
    message: /Row 1 is a single value/,
  },
  {
    what: 'a missing comma',
    format: 'JSON',
    text: '{"a":[{"b":1},\n{"b":2} {"b":3}]}',
    rowPath: 'a',
    reason: 'NOT_JSON',
    message: /in line 2, byte 9 \(at row 3\), here \(\{"b":3\}\]\}\) a comma/,
  },
  {
    what: 'a wrong word',
    format: 'JSON',
    text: '{"x":nope,"a":[{"b":1}]}',
    rowPath: 'a',
    reason: 'NOT_JSON',
    message: /line 1, byte 6 .* a value is expected/,
  },
  {
    what: 'something behind the end',
    format: 'JSON',
    text: '[{"a":1}] []',
    reason: 'NOT_JSON',
    message: /nothing more/,
  },
  {
    what: 'a control character in a text',
    format: 'JSON',
    text: '{"x":"a\tb","a":[{"b":1}]}',
    rowPath: 'a',
    reason: 'NOT_JSON',
    message: /control character/,
  },
  {
    what: 'a JSON file that is cut off between rows',
    format: 'JSON',
    text: '{"a":[{"b":1},',
    rowPath: 'a',
    reason: 'NOT_JSON',
    message: /ends before a list does/,
  },
  {
    what: 'a JSON file that is cut off within a row',
    format: 'JSON',
    text: '[{"b":1},{"b":"x',
    reason: 'NOT_JSON',
    message: /the file ends before/,
  },
  {
    what: 'a path that is nowhere',
    format: 'JSON',
    text: '{"products":[{"a":1}]}',
    rowPath: 'product',
    reason: 'ROW_PATH_NOT_FOUND',
    message: /no rows at "product"\. Perhaps "products" is meant/,
  },
  {
    what: 'a path with a selector',
    format: 'JSON',
    text: '[{"a":1}]',
    rowPath: 'a[b=c]',
    reason: 'ROW_PATH_NOT_FOUND',
    message: /selector/,
  },
  { what: 'very deep arrays', format: 'JSON', text: '['.repeat(500), reason: 'TOO_DEEP', message: /deeper than 100/ },
  {
    what: 'a very deep row',
    format: 'JSON',
    text: `[{"a":${'['.repeat(200)}${']'.repeat(200)}}]`,
    rowPath: '.',
    reason: 'TOO_DEEP',
    message: /Row 1 nests deeper/,
  },
  {
    what: 'a very deep line',
    format: 'JSONL',
    text: `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
    reason: 'TOO_DEEP',
    message: /Line 1 nests deeper/,
  },
  { what: 'lines of which none is JSON', format: 'JSONL', text: 'a\nb\n', reason: 'NOT_JSON', message: /No line/ },
  {
    what: 'too many columns',
    format: 'JSON',
    text: `[{${many(10_001, (i) => `${i === 0 ? '' : ','}"a${i}":1`)}}]`,
    rowPath: '.',
    reason: 'TOO_MANY_COLUMNS',
    message: /more than 10000 different paths/,
  },
  {
    what: 'invalid UTF-8 in JSON',
    format: 'JSON',
    text: Buffer.from('[{"a":1},{"a":"\xe4"}]', 'latin1'),
    rowPath: '.',
    reason: 'INVALID_ENCODING',
    message: /Row 2 is not valid UTF-8/,
  },
  {
    what: 'XML as JSON',
    format: 'JSON',
    text: '<?xml version="1.0"?><a/>',
    reason: 'WRONG_FORMAT',
    message: /end in \.xml/,
  },
  { what: 'JSON as XML', format: 'XML', text: '{"a":1}', reason: 'WRONG_FORMAT', message: /file is JSON/ },
  { what: 'text as XML', format: 'XML', text: 'SKU;Name\n', reason: 'WRONG_FORMAT', message: /file is no XML/ },
  {
    what: 'a page of HTML',
    format: 'XML',
    text: '<!DOCTYPE html><html></html>',
    reason: 'WRONG_FORMAT',
    message: /HTML/,
  },
  {
    what: 'an image',
    format: 'XML',
    text: Buffer.from('89504e470d0a1a0a0000', 'hex'),
    reason: 'WRONG_FORMAT',
    message: /PNG/,
  },
  {
    what: 'an XML file without elements',
    format: 'XML',
    text: '<?xml version="1.0"?>\n<!-- x -->',
    rowPath: 'a/b',
    reason: 'EMPTY_FILE',
    message: /no elements/,
  },
  { what: 'an element without values', format: 'XML', text: '<a/>', reason: 'NO_ROWS', message: /no rows/ },
  {
    what: 'a wrong closing tag',
    format: 'XML',
    text: '<c>\n<p><a>1</a></p>\n<p><a>1</b></p></c>',
    rowPath: 'c/p',
    reason: 'NOT_XML',
    message: /in line 3, column \d+ \(at row 2\), there is a closing tag whose element is not/,
  },
  {
    what: 'an XML file that is cut off',
    format: 'XML',
    text: '<c><p><a>1</a></p><p><a>',
    rowPath: 'c/p',
    reason: 'NOT_XML',
    message: /\(at row 2\), the file ends before all elements are closed/,
  },
  {
    what: 'an entity of HTML',
    format: 'XML',
    text: '<c><p><a>1&nbsp;2</a></p></c>',
    rowPath: 'c/p',
    reason: 'NOT_XML',
    message: /an entity that XML does not know/,
  },
  {
    what: 'NUL in XML',
    format: 'XML',
    text: `<c>${'<p><a>x</a></p>'.repeat(100)}<p><a>\u0000</a></p></c>`,
    rowPath: 'c/p',
    reason: 'NOT_XML',
    message: /row 101.*disallowed character/,
  },
  {
    what: 'a reference to NUL',
    format: 'XML',
    text: '<c><p><a>&#0;</a></p></c>',
    rowPath: 'c/p',
    reason: 'NOT_XML',
    message: /character/,
  },
  {
    what: 'a reference to a surrogate',
    format: 'XML',
    text: '<c><p><a>&#xd800;</a></p></c>',
    rowPath: 'c/p',
    reason: 'NOT_XML',
    message: /character/,
  },
  {
    what: 'an attribute that is there twice',
    format: 'XML',
    text: '<c><p><a b="1" b="2"/></p></c>',
    rowPath: 'c/p',
    reason: 'NOT_XML',
    message: /duplicate attribute/,
  },
  {
    what: 'a billion laughs',
    format: 'XML',
    text: '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><l><p>&b;</p></l>',
    reason: 'DTD_REFUSED',
    message: /document type declaration/,
  },
  {
    what: 'an external entity',
    format: 'XML',
    text: '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l><p>&a;</p></l>',
    rowPath: 'l/p',
    reason: 'DTD_REFUSED',
    message: /document type declaration/,
  },
  {
    what: 'a value that an attribute has without being written',
    format: 'XML',
    text: '<!DOCTYPE l [<!ATTLIST p currency CDATA "EUR">]><l><p>1</p></l>',
    rowPath: 'l/p',
    reason: 'DTD_REFUSED',
    message: /document type declaration/,
  },
  {
    what: 'an entity beside one for declarations',
    format: 'XML',
    text: '<!DOCTYPE l [<!ENTITY % x "y"><!ENTITY a "ha">]><l><p>&a;</p></l>',
    rowPath: 'l/p',
    reason: 'DTD_REFUSED',
    message: /document type declaration/,
  },
  {
    what: 'a document type of comments without an end',
    format: 'XML',
    text: `<!DOCTYPE l [<!ENTITY % a "${'<!--'.repeat(200_000)}">]><l><p>1</p></l>`,
    rowPath: 'l/p',
    reason: 'DTD_REFUSED',
    message: /65,536/,
  },
  {
    what: 'very deep elements',
    format: 'XML',
    text: '<a>'.repeat(500),
    reason: 'TOO_DEEP',
    message: /deeper than 100/,
  },
  {
    what: 'a very deep XML row',
    format: 'XML',
    text: `<c>${'<p>'.repeat(200)}${'</p>'.repeat(200)}</c>`,
    rowPath: 'c/p',
    reason: 'TOO_DEEP',
    message: /Row 1 nests deeper/,
  },
  {
    what: 'an XML path that is nowhere',
    format: 'XML',
    text: '<c><product><a>1</a></product><product><a>2</a></product></c>',
    rowPath: 'c/produkt',
    reason: 'ROW_PATH_NOT_FOUND',
    message: /Perhaps "c\/product" is meant/,
  },
  {
    what: 'an unknown encoding',
    format: 'XML',
    text: '<?xml version="1.0" encoding="x-klingon"?><a><b>1</b></a>',
    reason: 'UNKNOWN_ENCODING',
    message: /x-klingon/,
  },
  {
    what: 'invalid UTF-8 in XML',
    format: 'XML',
    text: Buffer.from('<c><p><a>\xe4</a></p></c>', 'latin1'),
    rowPath: 'c/p',
    reason: 'INVALID_ENCODING',
    message: /not valid UTF-8/,
  },
];

describe('openTable refuses', () => {
  for (const { what, format, text, rowPath, reason, message } of FAULTS) {
    it(`${what} (${format})`, () => assertNotATable(text, reason, message, { rowPath }, { format }));
  }

  for (const [format, text, close] of [
    ['JSON', '{"x":"', '"}'],
    ['JSON', '[{"x":"', '"}]'],
    ['XML', '<c><p><a>', '</a></p></c>'],
    ['XML', '<c><p a="', '"/></c>'],
    ['XML', '<c><!-- ', '--></c>'],
  ] as const) {
    it(`a single text of 1 GiB, long before its end: ${format} ${text}`, async () => {
      let given = 0;
      const block = Buffer.alloc(128 * 1024, 'x');
      async function* blocks(): AsyncGenerator<Buffer> {
        yield Buffer.from(text);
        for (; given < 1024 * MIB; given += block.length) yield block;
        yield Buffer.from(close);
      }
      const rowPath = format === 'XML' ? 'c/p' : text.startsWith('{') ? 'y' : '.';
      const openUpload = async () => Readable.from(blocks());
      await assert.rejects(readTable('', { rowPath }, { format, openUpload }), {
        reason: /CELL_TOO_LONG|ROW_TOO_LONG/,
      });
      assert.ok(given <= 24 * MIB, `${given} bytes were read`);
    });
  }

  it('a row that is longer than rows may be', () =>
    assertNotATable(
      `<c><p>${'<a>12345678</a>'.repeat(10_000)}</p></c>`,
      'ROW_TOO_LONG',
      /Row 1/,
      { rowPath: 'c/p' },
      { format: 'XML', limits: { maxRowBytes: 100_000 } },
    ));

  it('more rows than a file may have', () =>
    assertNotATable(
      '[{"a":1},{"a":2},{"a":3}]',
      'TOO_MANY_ROWS',
      /more than 2 rows/,
      {},
      { format: 'JSON', limits: { maxRows: 2 } },
    ));
});

describe('a row of JSON fails alone', () => {
  it('if it is no object, has a member twice, or a text that cannot be stored', async () => {
    const text = '[{"a":"x\\u0000"},{"a":1,"a":2},{"a":"\\ud800"},5,[1],{"a":01},{"a":"ok"}]';
    const table = await readTable(text, { rowPath: '.' }, { format: 'JSON' });
    const shown = shownRows(table).map(([row, cell]) => `${row} ${cell}`);
    for (const [index, expected] of [
      /^1 INVALID_TEXT: Row 1, column "a": the text holds a NUL/,
      /^2 DUPLICATE_MEMBER: .*"a"/,
      /^3 INVALID_TEXT: .* surrogates/,
      /^4 ROW_NOT_OBJECT: Row 4 is a single value/,
      /^5 ROW_NOT_OBJECT: Row 5 is not|^5 ROW_NOT_OBJECT: Row 5 is a/,
      /^6 ROW_NOT_OBJECT: Row 6 is not valid JSON/,
      /^7 ok$/,
    ].entries()) {
      assert.match(shown[index] ?? '', expected);
    }
  });

  it('if its line is not JSON', async () => {
    const table = await readTable('{"a":1}\n{"a":\n{"a":3}', {}, { format: 'JSONL' });
    assert.match(String(shownRows(table)[1]?.[1]), /^ROW_NOT_OBJECT: Row 2 is not valid JSON/);
  });
});

describe('an import without a profile', () => {
  it('refuses XML, and says what to do', async () => {
    await assert.rejects(plan('<c><p><a>1</a></p></c>', { format: 'XML' }), {
      reason: 'PROFILE_REQUIRED',
      message: /only by a profile.*options\.profile.*"hold": true/,
    });
  });
});
