import { gzipSync } from 'node:zlib';
import type { RejectReason } from '../../../../../../src/domain/formats/model/rejected-input.js';
import { relationships, sheetXml, workbookFile, workbookXml } from '../../../../../support/models/workbook-file.js';
import { assertRefused } from './workbook-fixture.js';

const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const ROWS = '<row r="1"><c t="str"><v>SKU</v></c></row><row r="2"><c t="str"><v>A</v></c></row>';

function refuses(what: string, reason: RejectReason, message: RegExp, workbook: () => Buffer | Promise<Buffer>): void {
  it(`refuses ${what}`, async () => assertRefused(await workbook(), reason, message));
}

/** A container of Office's older kind whose directory is in its second sector. */
function compound(...names: string[]): Buffer {
  const file = Buffer.alloc(2_048);
  file.write('d0cf11e0a1b11ae1', 'hex');
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(1, 48);
  for (const [index, name] of names.entries()) file.write(name, 1_024 + index * 128, 'utf16le');
  return file;
}

/** The archive with the flag of encryption on every entry of its directory. */
function withPassword(archive: Buffer): Buffer {
  const copy = Buffer.from(archive);
  for (let at = copy.indexOf('PK\u0001\u0002'); at >= 0; at = copy.indexOf('PK\u0001\u0002', at + 1)) {
    copy.writeUInt16LE(copy.readUInt16LE(at + 8) | 1, at + 8);
  }
  return copy;
}

function sheet(xml: string): Promise<Buffer> {
  return workbookFile({ parts: { 'xl/worksheets/sheet1.xml': xml } });
}

describe('workbooks that are refused', () => {
  refuses('an empty file', 'EMPTY_FILE', /empty/, () => Buffer.alloc(0));
  refuses('a CSV file of that name', 'WRONG_FORMAT', /text, such as CSV.*\.csv/, () => Buffer.from('SKU,A\n1,2\n'));
  refuses('a page of HTML', 'WRONG_FORMAT', /XML or HTML/, () => Buffer.from('<html><table></table></html>'));
  refuses('a PDF document', 'WRONG_FORMAT', /PDF/, () => Buffer.from('%PDF-1.7\n'));
  refuses('bytes of any kind', 'WRONG_FORMAT', /XLSX, but the file is not a workbook\. Save it as \.xlsx/, () =>
    Buffer.from([1, 0, 2, 0, 3]),
  );
  refuses('a workbook compressed by gzip and not named so', 'WRONG_FORMAT', /\.gz/, async () =>
    gzipSync(await workbookFile({ rows: ROWS })),
  );
  refuses('a workbook of the old kind', 'WRONG_FORMAT', /old Excel workbook \(XLS\)/, () =>
    compound('Root Entry', 'Workbook'),
  );
  refuses('a workbook with a password', 'WORKBOOK_ENCRYPTED', /password/, () =>
    compound('Root Entry', 'EncryptedPackage'),
  );
  refuses('an archive with a password', 'WORKBOOK_ENCRYPTED', /encrypted/, async () =>
    withPassword(await workbookFile({ rows: ROWS })),
  );
  refuses('a cell that is TRUE or FALSE and says neither', 'WORKBOOK_DAMAGED', /cell B2 is TRUE or FALSE and/, () =>
    workbookFile({
      rows: '<row><c t="str"><v>SKU</v></c></row><row><c t="str"><v>A</v></c><c t="b"><v>2</v></c></row>',
    }),
  );
  refuses('an archive without a workbook', 'WRONG_FORMAT', /without a workbook/, () =>
    workbookFile({ parts: { '_rels/.rels': null, 'xl/workbook.xml': null } }),
  );
  refuses('a text document', 'WRONG_FORMAT', /another kind/, () =>
    workbookFile({
      parts: {
        '_rels/.rels': relationships({ rId1: [`${DOCUMENT}/officeDocument`, 'word/document.xml'] }),
        'word/document.xml': '<document/>',
      },
    }),
  );
  refuses('a binary workbook', 'WRONG_FORMAT', /XLSB/, () =>
    workbookFile({
      parts: {
        '_rels/.rels': relationships({ rId1: [`${DOCUMENT}/officeDocument`, 'xl/workbook.bin'] }),
        'xl/workbook.bin': '',
      },
    }),
  );
  refuses(
    'a workbook with bytes behind it',
    'WORKBOOK_DAMAGED',
    /: it has more bytes behind its end\. Open/,
    async () => Buffer.concat([await workbookFile({ rows: ROWS }), Buffer.alloc(100)]),
  );
  refuses('a truncated workbook', 'WORKBOOK_DAMAGED', /incomplete: [^:]*[^.]\. Open it/, async () => {
    const whole = await workbookFile({ rows: ROWS });
    return whole.subarray(0, whole.length - 30);
  });
  refuses('a workbook with a byte changed', 'WORKBOOK_DAMAGED', /damaged/, async () => {
    const whole = await workbookFile({ rows: ROWS.repeat(1) });
    const at = whole.indexOf('sheet1.xml') + 40;
    whole.writeUInt8(whole.readUInt8(at) ^ 0xff, at);
    return whole;
  });
  refuses('a workbook whose sheet is missing', 'WORKBOOK_DAMAGED', /sheet "Sheet1" is missing/, () =>
    workbookFile({ parts: { 'xl/worksheets/sheet1.xml': null } }),
  );
  refuses('a workbook without a sheet', 'SHEET_NOT_FOUND', /no sheet/, () =>
    workbookFile({ parts: { 'xl/workbook.xml': workbookXml([]) } }),
  );
  refuses('two parts of one name', 'WORKBOOK_DAMAGED', /two parts/, () =>
    workbookFile({ rows: ROWS, parts: { 'XL/worksheets/Sheet1.xml': sheetXml(ROWS) } }),
  );
  refuses('XML that is not well-formed', 'WORKBOOK_DAMAGED', /well-formed/, () => sheet(sheetXml('<row><c></row>')));
  refuses('XML that breaks off', 'WORKBOOK_DAMAGED', /well-formed/, () => sheet(sheetXml(ROWS).slice(0, -5)));
  refuses('XML that is not UTF-8', 'WORKBOOK_DAMAGED', /UTF-8/, () =>
    workbookFile({
      parts: { 'xl/worksheets/sheet1.xml': Buffer.from(sheetXml('<row><c t="str"><v>ü</v></c></row>'), 'latin1') },
    }),
  );
  refuses('a cell that is in another row', 'WORKBOOK_DAMAGED', /A3 is not where it belongs/, () =>
    workbookFile({ rows: '<row r="1"><c r="A3"/></row>' }),
  );
  refuses('rows out of order', 'WORKBOOK_DAMAGED', /row 2 comes after row 5/, () =>
    workbookFile({ rows: '<row r="5"/><row r="2"/>' }),
  );
  refuses('a text that is nowhere', 'WORKBOOK_DAMAGED', /text of its cell A1/, () =>
    workbookFile({ rows: '<row r="1"><c t="s"><v>7</v></c></row>' }),
  );
  refuses('a number that is none', 'WORKBOOK_DAMAGED', /A1 is a number/, () =>
    workbookFile({ rows: '<row><c><v>x</v></c></row>' }),
  );
  refuses('a row beyond the last', 'TOO_MANY_ROWS', /1048576/, () => workbookFile({ rows: '<row r="1048577"/>' }));
  refuses('a header of too many columns', 'TOO_MANY_COLUMNS', /16384 columns.*2000/, () =>
    workbookFile({ rows: '<row><c r="XFD1" t="str"><v>x</v></c></row>' }),
  );
  refuses('a row of too many cells', 'TOO_MANY_COLUMNS', /16384 cells/, () =>
    workbookFile({ rows: `<row>${'<c/>'.repeat(16_385)}</row>` }),
  );
  refuses('a value far to the right of the table', 'TOO_MANY_COLUMNS', /cell XFD3, .* 16384.*2000 columns/, () =>
    workbookFile({ rows: `${ROWS}<row r="3"><c r="XFD3"><v>1</v></c></row>` }),
  );
  refuses('a sheet that implies far more cells than it holds', 'TOO_LARGE', /more than 50000000 cells empty/, () =>
    workbookFile({ rows: `<row><c r="BXX1" t="str"><v>x</v></c></row>${'<row><c><v>1</v></c></row>'.repeat(28_000)}` }),
  );
  refuses('a sheet without cells', 'EMPTY_FILE', /no cells/, () => workbookFile({ rows: '<row r="1"/>' }));
  refuses('a sheet without rows', 'NO_ROWS', /no rows/, () =>
    workbookFile({ rows: '<row r="1"><c t="str"><v>SKU</v></c></row>' }),
  );
  refuses('a text that is too long', 'CELL_TOO_LONG', /Row 1, column A.*32767/, () =>
    workbookFile({ rows: `<row r="1"><c r="A1" t="str"><v>${'x'.repeat(32_768)}</v></c></row>` }),
  );
  refuses('a shared text that is too long', 'CELL_TOO_LONG', /32767/, () =>
    workbookFile({ rows: ROWS, strings: `<si><t>${'x'.repeat(32_768)}</t></si>` }),
  );
  refuses('a cell of many megabytes', 'CELL_TOO_LONG', /32767/, () =>
    workbookFile({ rows: `<row><c t="inlineStr"><is><t>${'lorem ipsum '.repeat(500_000)}</t></is></c></row>` }),
  );
  refuses('a row of many megabytes', 'ROW_TOO_LONG', /8 MiB/, () =>
    workbookFile({ rows: `<row><!-- -->${`<c t="str"><v>${'x'.repeat(30_000)}</v></c>`.repeat(400)}</row>` }),
  );
  refuses('a zip bomb', 'EXPANSION_RATIO', /zip bomb/, () => sheet(sheetXml(' '.repeat(40 * 1024 * 1024))));
  refuses('elements that nest without end', 'WORKBOOK_TOO_COMPLEX', /deep/, () => sheet('<a>'.repeat(100_000)));
  refuses('an archive of very many files', 'WORKBOOK_TOO_COMPLEX', /10001 files/, async () => {
    const archive = await workbookFile({ rows: ROWS });
    archive.writeUInt16LE(10_001, archive.lastIndexOf('PK\u0005\u0006') + 10);
    return archive;
  });
  refuses('more styles than programs have', 'WORKBOOK_TOO_COMPLEX', /styles/, () =>
    workbookFile({ formats: Array.from({ length: 100_001 }, () => 0) }),
  );
  const laughs = Array.from({ length: 10 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join(
    '',
  );
  refuses('a billion laughs', 'DTD_REFUSED', /document type declaration/, () =>
    sheet(`<!DOCTYPE x [<!ENTITY l0 "lol">${laughs}]>${sheetXml('<row><c t="str"><v>&l10;</v></c></row>')}`),
  );
  refuses('a DTD in the shared texts', 'DTD_REFUSED', /document type declaration/, () =>
    workbookFile({ rows: ROWS, parts: { 'xl/sharedStrings.xml': '<!DOCTYPE sst SYSTEM "file:///etc/passwd"><sst/>' } }),
  );

  it('names the sheets when the one asked for is not there', async () => {
    const workbook = await workbookFile({ rows: ROWS });
    const options = { options: { sheet: 'Prices' } };
    await assertRefused(workbook, 'SHEET_NOT_FOUND', /no sheet "Prices". It has "Sheet1"/, options);
  });

  it('refuses a gzip bomb around a workbook', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    await assertRefused(bomb, 'EXPANSION_RATIO', /expands/, { gzip: true });
  });
});
