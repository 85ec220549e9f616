/** Workbooks of a million rows, and ones made to hurt: read at the memory of small ones. */
import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { createXlsxWriter } from '../../src/domain/formats/xlsx/create-xlsx-writer.js';
import { relationships, workbookXml } from '../support/models/workbook-file.js';
import { runProgram } from '../support/worlds/run-program.js';

const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAX_MB = 220;
const MIB = 1024 * 1024;
const ROWS = 1_000_000;

describe('large and hostile workbooks', function () {
  this.timeout(900_000);
  let path: string;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-workbooks-'));
    path = join(folder, 'workbook.xlsx');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function planned(): Promise<{ rows?: number; reason?: string }> {
    const { code, stdout, stderr } = await runProgram('test/support/worlds/plan-workbook.js', [path], {}).end;
    assert.equal(code, 0, stderr);
    const { peakMB, ...outcome } = JSON.parse(stdout);
    assert.ok(peakMB <= MAX_MB, `${peakMB} MB`);
    return outcome;
  }

  /** A workbook whose longest parts are made while they are written. */
  async function write(parts: Readonly<Record<string, string | (() => Generator<string>)>>): Promise<void> {
    const zip = new ZipFile();
    const all: Record<string, string | (() => Generator<string>)> = {
      '_rels/.rels': relationships({ rId1: [`${DOCUMENT}/officeDocument`, 'xl/workbook.xml'] }),
      'xl/workbook.xml': workbookXml(['One']),
      'xl/_rels/workbook.xml.rels': relationships({
        rId1: [`${DOCUMENT}/worksheet`, 'sheet.xml'],
        rId2: [`${DOCUMENT}/sharedStrings`, 'strings.xml'],
      }),
      ...parts,
    };
    for (const [name, content] of Object.entries(all)) {
      if (typeof content === 'string') zip.addBuffer(Buffer.from(content), name);
      else zip.addReadStream(Readable.from(content(), { objectMode: false }), name, { compressionLevel: 1 });
    }
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(path));
  }

  it('has a million rows read that our own exports write', async () => {
    const header = ['SKU', ...Array.from({ length: 12 }, (_, index) => `Attribute ${index}`)];
    const writer = createXlsxWriter(createWriteStream(path), { sheetName: 'Items', header });
    for (let first = 0; first < ROWS; first += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, index) => [
        `SKU-${first + index}`,
        ...Array.from({ length: 12 }, (__, column) => (column % 3 === 0 ? first + index : `text ${first} ${column}`)),
      ]);
      await writer.write(rows);
    }
    await writer.end();
    assert.deepEqual(await planned(), { rows: ROWS });
  });

  it('has a million rows read whose five million shared texts are all different', async () => {
    const columns = 5;
    function* strings(): Generator<string> {
      yield '<sst>';
      for (let row = 0; row < ROWS; row += 1) {
        yield Array.from({ length: columns }, (_, column) => `<si><t>text ${row} of ${column}</t></si>`).join('');
      }
      yield '</sst>';
    }
    function* sheet(): Generator<string> {
      yield '<worksheet><sheetData><row r="1"><c t="str"><v>SKU</v></c></row>';
      for (let row = 0; row < ROWS; row += 1) {
        const cells = Array.from({ length: columns }, (_, column) => `<c t="s"><v>${row * columns + column}</v></c>`);
        yield `<row>${cells.join('')}</row>`;
      }
      yield '</sheetData></worksheet>';
    }
    await write({ 'xl/strings.xml': strings, 'xl/sheet.xml': sheet });
    assert.deepEqual(await planned(), { rows: ROWS });
  });

  it('refuses a cell of 600 MB', async () => {
    function* sheet(): Generator<string> {
      yield '<worksheet><sheetData><row><c t="inlineStr"><is><t>';
      for (let mib = 0; mib < 600; mib += 1)
        yield Array.from({ length: MIB / 8 }, (_, at) => `${at * 997 + mib}       `.slice(0, 8)).join('');
      yield '</t></is></c></row></sheetData></worksheet>';
    }
    await write({ 'xl/sheet.xml': sheet, 'xl/strings.xml': '<sst/>' });
    assert.deepEqual(await planned(), { reason: 'CELL_TOO_LONG' });
  });

  it('refuses 2 GB of nothing in 2 MB', async () => {
    function* blanks(): Generator<string> {
      yield '<worksheet><sheetData>';
      for (let mib = 0; mib < 2_048; mib += 1) yield ' '.repeat(MIB);
      yield '</sheetData></worksheet>';
    }
    await write({ 'xl/sheet.xml': blanks, 'xl/strings.xml': '<sst/>' });
    assert.deepEqual(await planned(), { reason: 'EXPANSION_RATIO' });
  });

  it('refuses a billion laughs in any part that it reads', async () => {
    const entities = Array.from({ length: 30 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
    const laughs = `<!DOCTYPE x [<!ENTITY l0 "lol">${entities}]>`;
    const strings = `${laughs}<sst><si><t>&l30;</t></si></sst>`;
    const sheet = `${laughs}<worksheet><sheetData><row><c t="str"><v>&l30;</v></c></row></sheetData></worksheet>`;
    const plain = '<worksheet><sheetData><row><c t="s"><v>0</v></c></row></sheetData></worksheet>';
    await write({ 'xl/sheet.xml': plain, 'xl/strings.xml': strings });
    assert.deepEqual(await planned(), { reason: 'DTD_REFUSED' });
    await write({ 'xl/sheet.xml': sheet, 'xl/strings.xml': '<sst/>' });
    assert.deepEqual(await planned(), { reason: 'DTD_REFUSED' });
  });

  it('refuses 300 MB of another type, and an encrypted workbook of that size', async () => {
    const filler = Buffer.alloc(MIB, 'x');
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    await pipeline(Readable.from(repeated(png, filler)), createWriteStream(path));
    assert.deepEqual(await planned(), { reason: 'WRONG_FORMAT' });
    const container = Buffer.alloc(MIB);
    container.write('d0cf11e0a1b11ae1', 'hex');
    container.writeUInt16LE(9, 30);
    container.write('EncryptedPackage', 1_024, 'utf16le');
    await pipeline(Readable.from(repeated(container, filler)), createWriteStream(path));
    assert.deepEqual(await planned(), { reason: 'WORKBOOK_ENCRYPTED' });
  });
});

function* repeated(head: Buffer, filler: Buffer): Generator<Buffer> {
  yield head;
  for (let mib = 0; mib < 300; mib += 1) yield filler;
}
