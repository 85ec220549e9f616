/** What inspections say of files that are no tables, or that are built to cost more than they should. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { inspectSource } from '../../../../src/domain/inspection/inspect-source.js';
import { sourceInput } from '../formats/source-fixture.js';
import { inspect } from './inspect-fixture.js';

const GIB = 2 ** 30;
const BLOCK_BYTES = 1 << 17;
/** What an inspection may take besides what the process has already. */
const MOST_BYTES = 96 * 1024 * 1024;

async function refused(upload: Buffer | string, reason: string, message: RegExp): Promise<void> {
  await assert.rejects(inspect(upload), (error: Error & { reason?: string }) => {
    assert.equal(error.reason, reason, error.stack);
    assert.match(error.message, message);
    return true;
  });
}

/** Bytes that are no text: each occurs equally often, but none is 0. */
function binary(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, at) => 1 + ((at * 7_919 + (at >> 3) * 31) % 255)));
}

/** An upload of 1 GiB that is nowhere as a whole. @returns the most memory that was in use while it was read */
async function inspectEndless(beginning: string, piece: string) {
  const block = Buffer.from(piece.repeat(Math.ceil(BLOCK_BYTES / piece.length)));
  let most = 0;
  function* blocks(): Generator<Buffer> {
    yield Buffer.from(beginning);
    for (let bytes = 0; bytes < GIB; bytes += block.length) {
      if (bytes % (64 * block.length) === 0) most = Math.max(most, inUse());
      yield block;
    }
  }
  const openUpload = async () => Readable.from(blocks());
  const before = inUse();
  const error = await inspectSource({ ...sourceInput(Buffer.alloc(0)), openUpload }).then(
    () => null,
    (reason: Error & { reason?: string }) => reason,
  );
  return { error, grown: most - before };
}

function inUse(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('an inspection', function () {
  this.timeout(60_000);

  it('refuses images and other files that are no text, by what they are', async () => {
    const image = (head: string) => Buffer.concat([Buffer.from(head, 'latin1'), binary(4_000)]);
    await refused(image('\x89PNG\r\n\x1a\n'), 'WRONG_FORMAT', /CSV, but the file is a PNG image/);
    await refused(image('\xff\xd8\xff\xe0'), 'WRONG_FORMAT', /a JPEG image/);
    await refused(image('GIF89a'), 'WRONG_FORMAT', /a GIF image/);
    await refused(image('RIFF\x10\x20\x01\x01WEBP'), 'WRONG_FORMAT', /an image, a sound or a film/);
    await refused(image('%PDF-1.7\n'), 'WRONG_FORMAT', /a PDF document/);
    await refused(binary(50_000), 'WRONG_FORMAT', /binary: \d+ of 100 characters at its beginning are control/);
    await refused(Buffer.concat([Buffer.alloc(64), binary(4_000)]), 'WRONG_FORMAT', /binary/);
  });

  it('refuses a file without a text', async () => {
    await refused('', 'EMPTY_FILE', /The file is empty/);
    await refused('\ufeff', 'EMPTY_FILE', /The file is empty/);
    await refused('\n\r\n\n', 'EMPTY_FILE', /nothing but blank lines/);
    await refused(' \n;;\n  ; ;\n', 'EMPTY_FILE', /nothing but blanks and delimiters/);
  });

  it('finds the columns of a file that has nothing but its header', async () => {
    for (const upload of ['SKU;Preis;Farbe\n', 'SKU;Preis;Farbe']) {
      const { rows, columns, format } = await inspect(upload);
      assert.deepEqual([rows, format.headerRow.value, format.delimiter?.value], [0, 1, ';']);
      assert.deepEqual(
        columns.map(({ name, filled, type }) => [name, filled, type.value]),
        [
          ['SKU', 0, 'empty'],
          ['Preis', 0, 'empty'],
          ['Farbe', 0, 'empty'],
        ],
      );
    }
  });

  it('says that a header of blanks names nothing, and in which row it is', async () => {
    const { format } = await inspect(' ; ; \nA-1;2,50;rot\nA-2;3,50;blau\nA-3;4,20;rot\n');
    assert.equal(format.headerRow.value, null);
    assert.match(format.headerRow.reason, /Row 1 holds nothing but blanks\. No row names the columns/);
  });

  it('refuses 10,000 columns, and reads as many as an import does', async () => {
    const row = (count: number) => `${Array.from({ length: count }, (_, at) => `c${at}`).join(',')}\n`;
    await refused(row(10_000) + row(10_000), 'TOO_MANY_COLUMNS', /10000 columns; at most 2000/);
    const { columns, rows } = await inspect(row(2_000) + `${'1,'.repeat(1_999)}2\n`.repeat(3));
    assert.deepEqual([columns.length, rows], [2_000, 3]);
  });

  for (const [what, beginning, row] of [
    ['a cell', 'SKU,Text\nA,', 2],
    ['a cell in quotes', 'SKU,Text\nA,"', 2],
    ['a header', '', 1],
  ] as const) {
    it(`refuses ${what} of 1 GiB at bounded memory, and names its row`, async () => {
      const { error, grown } = await inspectEndless(beginning, 'x');
      assert.match(`${error?.reason}`, /^(?:CELL_TOO_LONG|UNCLOSED_QUOTE)$/, error?.stack);
      assert.match(`${error?.message}`, new RegExp(`(?:Row|row) ${row}\\b`));
      assert.ok(grown < MOST_BYTES, `${grown} bytes more`);
    });
  }

  it('refuses 1 GiB of one column at bounded memory, once it has more rows than an import accepts', async () => {
    const limits = { ...sourceInput(Buffer.alloc(0)).limits, maxRows: 500_000 };
    const value = 'a value of a column\n';
    const openUpload = async () =>
      Readable.from(
        (function* () {
          yield Buffer.from('Text\n');
          for (let bytes = 0; bytes < GIB; bytes += BLOCK_BYTES) yield Buffer.from(value.repeat(6_554));
        })(),
      );
    const source = { ...sourceInput(Buffer.alloc(0)), openUpload, limits };
    await assert.rejects(inspectSource(source), /more than 500000 rows/);
  });
});
