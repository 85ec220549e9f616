import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Cell, SpreadsheetLimitExceeded } from '../../../../../src/domain/formats/xlsx/cell.js';
import { createXlsxWriter, type XlsxOptions } from '../../../../../src/domain/formats/xlsx/create-xlsx-writer.js';
import { decimalCell } from '../../../../../src/domain/formats/xlsx/decimal-cell.js';
import { zipEntries } from '../../../../support/models/zip-entries.js';

async function written(rows: Cell[][], options: Partial<XlsxOptions> = {}): Promise<Buffer> {
  const sink = new PassThrough();
  const bytes = buffer(sink);
  const writer = createXlsxWriter(sink, { sheetName: 'Items', header: ['A', 'B'], ...options });
  await writer.write(rows);
  await writer.end();
  return bytes;
}

async function sheetOf(rows: Cell[][], options: Partial<XlsxOptions> = {}): Promise<string> {
  return (await zipEntries(await written(rows, options))).get('xl/worksheets/sheet1.xml') ?? '';
}

describe('the writer of workbooks', () => {
  it('writes each kind of cell as its own kind', async () => {
    const xml = await sheetOf([
      ['007', 12.5],
      [true, null],
      [{ date: '2024-02-29' }, { date: '2024-02-29T12:00:00Z' }],
      [-0, ''],
    ]);
    assert.ok(xml.includes('<c r="A2" t="inlineStr"><is><t>007</t></is></c><c r="B2"><v>12.5</v></c>'));
    assert.ok(xml.includes('<row r="3"><c r="A3" t="b"><v>1</v></c></row>'));
    assert.ok(xml.includes('<c r="A4" s="2"><v>45351</v></c><c r="B4" s="3"><v>45351.5</v></c>'));
    assert.ok(xml.includes('<row r="5"><c r="A5"><v>0</v></c></row>'));
  });

  it('escapes what XML cannot hold, and keeps white space', async () => {
    const xml = await sheetOf([
      ['a<b>&"c"', ' edge'],
      ['\u0000\u000b\r', '_x0041_'],
      ['line\nline', '😀\ufffe'],
    ]);
    assert.ok(xml.includes('<t>a&lt;b&gt;&amp;"c"</t>'));
    assert.ok(xml.includes('<t xml:space="preserve"> edge</t>'));
    assert.ok(xml.includes('<t xml:space="preserve">_x0000__x000B__x000D_</t>'));
    assert.ok(xml.includes('<t>_x005F_x0041_</t>'));
    assert.ok(xml.includes('<t xml:space="preserve">line\nline</t>'));
    assert.ok(xml.includes('<t>😀_xFFFE_</t>'));
  });

  it('writes as text what a spreadsheet program would round, or has no date for', async () => {
    const xml = await sheetOf([
      [0.1 + 0.2, decimalCell('12345678901234567')],
      [{ date: '1850-01-01' }, 123456789012345],
    ]);
    assert.ok(xml.includes('<t>0.30000000000000004</t>'));
    assert.ok(xml.includes('<t>12345678901234567</t>'));
    assert.ok(xml.includes('<t>1850-01-01</t>'));
    assert.ok(xml.includes('<v>123456789012345</v>'));
    assert.equal(decimalCell('-12.50'), -12.5);
    assert.equal(decimalCell('+1'), '+1');
  });

  it('writes the same bytes for the same cells', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index): Cell[] => [`SKU-${index}`, index]);
    assert.ok((await written(rows)).equals(await written(rows)));
  });

  it('refuses what no spreadsheet holds, and says where', async () => {
    await assert.rejects(written([['x', 'y'.repeat(32_768)]]), (error: unknown) => {
      assert.ok(error instanceof SpreadsheetLimitExceeded);
      assert.equal(error.limit, 'CELL_TOO_LONG');
      assert.match(error.message, /Row 2, column "B".*32768.*32767/);
      return true;
    });
    await assert.rejects(written([Array.from({ length: 16_385 }, () => 'x')]), { limit: 'TOO_MANY_COLUMNS' });
    await written([['y'.repeat(32_767)]]);
  });

  it('refuses row 1,048,577', async () => {
    const writer = createXlsxWriter(new PassThrough().resume(), { sheetName: 'x', header: ['A'] });
    const rows = Array.from({ length: 1_048_575 }, () => []);
    await writer.write(rows);
    await assert.rejects(writer.write([[]]), { limit: 'TOO_MANY_ROWS' });
  });

  it('tells of a sink that fails', async () => {
    const failing = new Writable({
      write: (_chunk, _encoding, done) => done(new Error('disk full')),
    });
    const writer = createXlsxWriter(failing, { sheetName: 'Items', header: ['A'] });
    const rows = Array.from({ length: 100 }, (_, index): Cell[] => [`${index}${'x'.repeat(3_000)}`]);
    await assert.rejects(async () => {
      for (let round = 0; round < 1_000; round += 1) await writer.write(rows);
    }, /disk full/);
    await assert.rejects(writer.end(), /disk full/);
  });
});
