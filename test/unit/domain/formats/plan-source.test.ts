/** What planSource accepts, refuses and tells of an upload, rule by rule. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { RejectedInput } from '../../../../src/domain/formats/model/rejected-input.js';
import { csvRows, duplicates, type FixtureOptions, inBlocks, jsonRows, plan } from './source-fixture.js';

async function assertRejected(
  upload: Buffer | string,
  options: FixtureOptions,
  expected: { reason: string; row?: number; message?: RegExp },
): Promise<void> {
  await assert.rejects(plan(upload, options), (error) => {
    assert.ok(error instanceof RejectedInput, String(error));
    assert.equal(error.reason, expected.reason, error.message);
    if (expected.row !== undefined) assert.equal(error.row, expected.row);
    if (expected.message !== undefined) assert.match(error.message, expected.message);
    return true;
  });
}

function numbered(rows: readonly { row: number; cells: string[] }[]): [number, ...string[]][] {
  return rows.map(({ row, cells }) => [row, ...cells]);
}

describe('planSource: CSV', () => {
  it('names the ranges of the upload itself when it is plain UTF-8', async () => {
    const planned = await plan('sku,name\nA,Äpfel\nB,b\n');
    assert.equal(planned.plan.source, 'upload');
    assert.equal(planned.plan.bodyFormat, 'CSV');
    assert.deepEqual(planned.plan.headerCells, ['sku', 'name']);
    assert.equal(planned.plan.totalRows, 2);
    assert.deepEqual(planned.plan.chunks, [
      { byteStart: 9, byteEnd: 22, firstRow: 2, rowCount: 2, lineCount: 2, duplicates: [] },
    ]);
    assert.deepEqual(numbered(csvRows(planned)), [
      [2, 'A', 'Äpfel'],
      [3, 'B', 'b'],
    ]);
  });

  it('skips a byte order mark without a copy', async () => {
    const planned = await plan('\uFEFFsku\nA\n');
    assert.equal(planned.plan.source, 'upload');
    assert.deepEqual(planned.plan.headerCells, ['sku']);
    assert.deepEqual(numbered(csvRows(planned)), [[2, 'A']]);
  });

  it('counts blank lines, before the header too, but takes none for a row', async () => {
    const planned = await plan('\r\n\nsku,b\n\nA,1\n\n\nB,2\n\n');
    assert.equal(planned.plan.totalRows, 2);
    assert.deepEqual(numbered(csvRows(planned)), [
      [5, 'A', '1'],
      [8, 'B', '2'],
    ]);
  });

  it('counts a cell of several lines as one row', async () => {
    const rows = csvRows(await plan('sku,b\nA,"x\r\ny\n"\nB,2\n'));
    assert.deepEqual(numbered(rows), [
      [2, 'A', 'x\r\ny\n'],
      [3, 'B', '2'],
    ]);
  });

  it('sniffs the delimiter outside of quotes', async () => {
    for (const [delimiter, header] of [
      [',', 'sku,"a;b;c",d'],
      [';', 'sku;"a,b,c,""d,e"', ''],
      ['\t', 'sku\tb'],
      ['|', 'sku|b|c,d'],
      [',', 'sku'],
    ] as const) {
      const planned = await plan(`${header}\nA\n`, { blockBytes: 1 });
      assert.equal(planned.plan.delimiter, delimiter, header);
    }
  });

  it('looks at the row below where several delimiters stand in the header outside of quotes', async () => {
    for (const [delimiter, text] of [
      [';', 'sku;Size, cm;Weight, kg\nA;1,5;2\n'],
      [';', '\r\nsku;Size, cm, inner\r\n\r\nA;"x\r\n;y"\r\n'],
      ['\t', 'sku|ref|no\tb\nA|B\tx\n'],
      [',', 'sku,a|b,c|d|e|f\nA,1,2'],
      // One row ends early, and the others have as many commas as the header.
      [',', 'sku,name,colours (a;b),price\nA,Shirt,red;blue\nB,Shirt,green,1\nC,Shirt,red;blue,1\n'],
      // The row has none of them as often: the most frequent.
      [',', 'sku;Size, cm, inner\nA;x;y\n'],
    ] as const) {
      for (const blockBytes of [1, 1024])
        assert.equal((await plan(text, { blockBytes })).plan.delimiter, delimiter, text);
    }
  });

  it('prefers the delimiter that was named, and a tab for TSV', async () => {
    assert.equal((await plan('a;b,c,d\nA\n', { options: { delimiter: ';' } })).plan.delimiter, ';');
    assert.equal((await plan('a,b,c\nA\n', { format: 'TSV' })).plan.delimiter, '\t');
    await assertRejected('a\nb\n', { options: { delimiter: '"' } }, { reason: 'INVALID_DELIMITER' });
    await assertRejected('a\nb\n', { options: { delimiter: '::' } }, { reason: 'INVALID_DELIMITER', message: /"::"/ });
  });

  it('cuts chunks by rows and by bytes, never inside a record', async () => {
    const lines = Array.from({ length: 10 }, (_, index) => `K${index},"a\nb"`);
    const byRows = await plan(`sku,b\n${lines.join('\n')}`, { limits: { chunkRows: 4 } });
    assert.deepEqual(
      byRows.plan.chunks.map((chunk) => [chunk.firstRow, chunk.rowCount]),
      [
        [2, 4],
        [6, 4],
        [10, 2],
      ],
    );
    const byBytes = await plan(`sku,b\n${lines.join('\n')}`, { limits: { chunkBytes: 25 } });
    assert.deepEqual(
      byBytes.plan.chunks.map((chunk) => chunk.rowCount),
      [2, 2, 2, 2, 2],
    );
    assert.deepEqual(numbered(csvRows(byRows)), numbered(csvRows(byBytes)));
  });

  it('gives a row longer than a chunk a chunk of its own', async () => {
    const planned = await plan(`sku,b\nA,1\nB,${'x'.repeat(100)}\nC,3\n`, { limits: { chunkBytes: 50 } });
    assert.deepEqual(
      planned.plan.chunks.map((chunk) => chunk.firstRow),
      [2, 3, 4],
    );
  });

  it('keeps its place over many megabytes', async () => {
    const line = (index: number): string => `K${index},"${'x'.repeat(index % 97)}\n"`;
    const lines = Array.from({ length: 60_000 }, (_, index) => line(index));
    const rows = csvRows(await plan(`sku,b\n${lines.join('\n')}\n`, { blockBytes: 50_021 }));
    assert.equal(rows.length, lines.length);
    for (const [index, { row, cells }] of rows.entries()) {
      assert.equal(row, index + 2);
      assert.equal(`${cells[0]},"${cells[1]}"`, lines[index]);
    }
  });

  it('passes on what resolveHeader refuses', async () => {
    const refuse = (): number => {
      throw new RejectedInput('UNKNOWN_COLUMN', 'no such column', { column: 'x' });
    };
    await assertRejected('x\n1\n', { resolveHeader: refuse }, { reason: 'UNKNOWN_COLUMN' });
  });

  it('refuses an empty file, and one without rows', async () => {
    await assertRejected('', {}, { reason: 'EMPTY_FILE' });
    await assertRejected('\uFEFF', {}, { reason: 'EMPTY_FILE' });
    await assertRejected('\n\r\n\r', {}, { reason: 'EMPTY_FILE' });
    await assertRejected('sku,b', {}, { reason: 'NO_ROWS' });
    await assertRejected('sku,b\r\n\r\n', {}, { reason: 'NO_ROWS' });
  });

  it('refuses a header that cannot be read', async () => {
    await assertRejected('sku,"a"b\nA,1\n', {}, { reason: 'INVALID_HEADER', row: 1 });
    await assertRejected('a,b,c\n1,2,3\n', { limits: { maxColumns: 2 } }, { reason: 'TOO_MANY_COLUMNS' });
  });

  it('refuses more rows than the limit', async () => {
    await assertRejected('sku\n1\n2\n3\n', { limits: { maxRows: 2 } }, { reason: 'TOO_MANY_ROWS' });
    assert.equal((await plan('sku\n1\n2\n', { limits: { maxRows: 2 } })).plan.totalRows, 2);
  });

  it('names the row in which a quote was left open', async () => {
    for (const blockBytes of [1, 7, 65_536]) {
      await assertRejected('sku,b\nA,1\nB,"2\nC,3\n', { blockBytes }, { reason: 'UNCLOSED_QUOTE', row: 3 });
    }
    await assertRejected('sku,"b\nA,1\n', {}, { reason: 'UNCLOSED_QUOTE', row: 1 });
  });

  it('finds the open quote when megabytes follow, quoted cells among them', async () => {
    const limits = { maxCellBytes: 1000 };
    const plain = Array.from({ length: 2000 }, (_, index) => `K${index},1`).join('\n');
    await assertRejected(`sku,b\nA,"x\n${plain}\n`, { limits, blockBytes: 500 }, { reason: 'UNCLOSED_QUOTE', row: 2 });
    const later = `sku,b\nA,"x\n${plain}\nB,"quoted, text"\n${plain}\n`;
    await assertRejected(later, { limits, blockBytes: 500 }, { reason: 'UNCLOSED_QUOTE', row: 2 });
  });

  it('refuses a cell over the limit, naming its row, whatever the blocks', async () => {
    const limits = { maxCellBytes: 1000, maxRowBytes: 3000 };
    const long = 'x'.repeat(5000);
    for (const blockBytes of [100, 999, 65_536]) {
      const options = { limits, blockBytes };
      await assertRejected(`sku,b\nA,1\nB,${long}\nC,3\n`, options, { reason: 'CELL_TOO_LONG', row: 3 });
      await assertRejected(`sku,b\nA,1\nB,"${long}"\nC,3\n`, options, { reason: 'CELL_TOO_LONG', row: 3 });
      await assertRejected(`sku,b\nA,1\nB,"${long}""`, options, { reason: 'UNCLOSED_QUOTE', row: 3 });
      await assertRejected(`sku,b\nA,1\nB,"${long}"`, options, { reason: 'CELL_TOO_LONG', row: 3 });
      await assertRejected(`sku,b\nA,1\nB,${long}`, options, { reason: 'CELL_TOO_LONG', row: 3 });
    }
    const wide = await plan(`sku,b,c\nA,${'x'.repeat(900)},${'y'.repeat(900)}\n`, { limits });
    assert.equal(wide.plan.totalRows, 1);
  });

  it('reads a row and a cell of exactly the limit, and refuses one byte more, whatever the blocks', async () => {
    const row = (bytes: number): string => `A,${'x'.repeat(950)},${'y'.repeat(950)},${'z'.repeat(bytes - 1904)}`;
    for (const blockBytes of [100, 999, 65_536]) {
      const options = { limits: { maxCellBytes: 1000, maxRowBytes: 2500 }, blockBytes };
      for (const end of ['', '\n', '\r\n', '\nB,1,2,3\n']) {
        assert.equal((await plan(`sku,b,c,d\n${row(2500)}${end}`, options)).plan.totalRows, end.length > 2 ? 2 : 1);
        const message = /Row 2 is longer than 2500 bytes/;
        await assertRejected(`sku,b,c,d\n${row(2501)}${end}`, options, { reason: 'ROW_TOO_LONG', row: 2, message });
      }
      for (const [most, quote, said] of [
        [1000, '', /cell 2 is longer than 1000 bytes\. |a cell is longer than 1000 bytes\. /],
        [998, '"', /cell(?: 2)? is longer than 1000 bytes, its quotes included\. /],
      ] as const) {
        const text = (bytes: number): string => `sku,b\nA,${quote}${'x'.repeat(bytes)}${quote}\n`;
        assert.equal((await plan(text(most), options)).plan.totalRows, 1);
        await assertRejected(text(most + 1), options, { reason: 'CELL_TOO_LONG', row: 2, message: said });
      }
    }
  });

  it('counts no line end as a part of the row or the cell before it, wherever the blocks end', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `sku,b,c,d${end}A,${'x'.repeat(95)},${'y'.repeat(95)},${'z'.repeat(56)}${end}${'b'.repeat(100)},1,2,${'3'.repeat(100)}${end}`;
      for (let blockBytes = 1; blockBytes < 300; blockBytes++) {
        const options = { limits: { maxCellBytes: 100, maxRowBytes: 250 }, blockBytes };
        assert.equal((await plan(text, options)).plan.totalRows, 2, JSON.stringify({ end, blockBytes }));
      }
    }
  });

  it('stops at a cell of 10 MB without holding it', async () => {
    const upload = Buffer.concat([Buffer.from('sku,b\nA,'), Buffer.alloc(10_000_000, 'x'), Buffer.from('\n')]);
    await assertRejected(upload, {}, { reason: 'CELL_TOO_LONG', row: 2 });
  });

  it('recognises files that are not what their name says', async () => {
    const rejected = { reason: 'WRONG_FORMAT' };
    await assertRejected(Buffer.from('504b030414000600', 'hex'), {}, { ...rejected, message: /end in \.xlsx/ });
    await assertRejected('%PDF-1.7\n', {}, rejected);
    await assertRejected(gzipSync('sku\nA\n'), {}, { ...rejected, message: /\.gz/ });
    await assertRejected('[{"sku":"A"}]', {}, rejected);
    await assertRejected('<!DOCTYPE html><p>not found', {}, rejected);
    await assertRejected('sku\0,b\nA,1\n', {}, rejected);
    await assertRejected(Buffer.from('sku,b\nA,1\n', 'utf16le'), {}, { ...rejected, message: /UTF-16/ });
  });

  it('leaves NUL bytes in a row to the writer', async () => {
    assert.deepEqual(numbered(csvRows(await plan('sku\nA\0\n'))), [[2, 'A\0']]);
  });
});

describe('planSource: encodings', () => {
  it('names the first row that is not valid UTF-8, and what to do', async () => {
    const upload = Buffer.concat([
      Buffer.from('sku,b\nA,\u00e4\nB,'),
      Buffer.from([0xe4]),
      Buffer.from('\nC,\xff\n', 'latin1'),
    ]);
    for (const blockBytes of [1, 3, 65_536]) {
      await assertRejected(upload, { blockBytes }, { reason: 'INVALID_ENCODING', row: 3, message: /windows-1252/ });
    }
    await assertRejected(Buffer.from('sku\nA\nB\xe4', 'latin1'), {}, { reason: 'INVALID_ENCODING', row: 3 });
    await assertRejected(Buffer.from('sk\xe4\nA\n', 'latin1'), {}, { reason: 'INVALID_ENCODING', row: 1 });
  });

  it('reads windows-1252 by name into a spool', async () => {
    for (const encoding of ['windows-1252', 'latin1', 'Latin1 ', 'CP1252']) {
      const planned = await plan(Buffer.from('sku,b\nA,\x80 \xe4\n', 'latin1'), { options: { encoding } });
      assert.equal(planned.plan.source, 'spool');
      assert.deepEqual(numbered(csvRows(planned)), [[2, 'A', '\u20ac ä']]);
    }
    for (const encoding of ['ebcdic', 'constructor', '__proto__']) {
      await assertRejected('sku\nA\n', { options: { encoding } }, { reason: 'UNKNOWN_ENCODING' });
    }
  });

  it('lets the byte order mark count for more than the name', async () => {
    const planned = await plan('\uFEFFsku,b\nA,\u20ac\n', { options: { encoding: 'windows-1252' } });
    assert.equal(planned.plan.source, 'upload');
    assert.deepEqual(numbered(csvRows(planned)), [[2, 'A', '\u20ac']]);
  });

  it('reads UTF-16 by its byte order mark, surrogate pairs cut by blocks too', async () => {
    for (const blockBytes of [1, 2, 3, 65_536]) {
      const little = Buffer.from('\uFEFFsku,b\nA,\u{1F34E}\n', 'utf16le');
      const big = Buffer.from(little).swap16();
      for (const upload of [little, big]) {
        assert.deepEqual(numbered(csvRows(await plan(upload, { blockBytes }))), [[2, 'A', '\u{1F34E}']]);
      }
    }
  });

  it('names the row of a lone surrogate or of half a character in UTF-16', async () => {
    const lone = Buffer.from('\uFEFFsku,b\nA,1\nB,\ud800x\nC,3\n', 'utf16le');
    await assertRejected(lone, {}, { reason: 'INVALID_ENCODING', row: 3, message: /UTF-16LE/ });
    const cut = Buffer.from('\uFEFFsku,b\nA,1\nB,2', 'utf16le').subarray(0, -1);
    await assertRejected(cut, {}, { reason: 'INVALID_ENCODING', row: 3 });
  });
});

describe('planSource: gzip', () => {
  it('reads gzip through a spool, of several members too', async () => {
    const upload = Buffer.concat([gzipSync('sku,b\nA,1\n'), gzipSync('B,2\n')]);
    const planned = await plan(upload, { gzip: true });
    assert.equal(planned.plan.source, 'spool');
    assert.deepEqual(numbered(csvRows(planned)), [
      [2, 'A', '1'],
      [3, 'B', '2'],
    ]);
  });

  it('refuses what is no gzip, damaged, cut short or empty', async () => {
    await assertRejected('sku\nA\n', { gzip: true }, { reason: 'NOT_GZIP' });
    const upload = gzipSync(Buffer.from('sku\n'.repeat(1000)));
    await assertRejected(upload.subarray(0, -12), { gzip: true }, { reason: 'GZIP_DAMAGED' });
    const damaged = Buffer.from(upload);
    damaged.fill(0xff, 12, 20);
    await assertRejected(damaged, { gzip: true }, { reason: 'GZIP_DAMAGED' });
    await assertRejected(gzipSync(''), { gzip: true }, { reason: 'EMPTY_FILE' });
    await assertRejected('', { gzip: true }, { reason: 'EMPTY_FILE' });
  });

  it('stops a bomb by its ratio, and any text by its size', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, 'a\n'));
    await assertRejected(bomb, { gzip: true }, { reason: 'EXPANSION_RATIO' });
    await assertRejected(bomb, { gzip: true, limits: { maxBytes: 1_000_000 } }, { reason: 'TOO_LARGE' });
    await assertRejected('sku\nA\n', { limits: { maxBytes: 5 } }, { reason: 'TOO_LARGE' });
  });
});

describe('planSource: JSON', () => {
  it('spools an array one element a line, and numbers rows by index + 1', async () => {
    const upload = ' [ {"sku":"A",\n"b":[1,\n2]} , 7,\n"x\\"]", {"sku":"B"}\n]\n';
    for (const blockBytes of [1, 5, 65_536]) {
      const planned = await plan(upload, { format: 'JSON', blockBytes });
      assert.equal(planned.plan.bodyFormat, 'JSONL');
      assert.equal(planned.body.toString(), '{"sku":"A", "b":[1, 2]}\n7\n"x\\"]"\n{"sku":"B"}\n');
      assert.deepEqual(
        jsonRows(planned).map(({ row, element }) => [row, element]),
        [
          [1, { sku: 'A', b: [1, 2] }],
          [2, 7],
          [3, 'x"]'],
          [4, { sku: 'B' }],
        ],
      );
    }
  });

  it('keeps a raw line feed inside a text an error of that element', async () => {
    const rows = jsonRows(await plan('[{"sku":"A\nB"},{"sku":"C"}]', { format: 'JSON' }));
    assert.equal(rows[0]?.problem?.code, 'ROW_NOT_OBJECT');
    assert.equal(rows[1]?.problem, null);
  });

  it('refuses what is no array', async () => {
    const format = 'JSON';
    await assertRejected('{"sku":"A"}', { format }, { reason: 'NOT_AN_ARRAY' });
    await assertRejected('{"sku":"A"}\n{"sku":"B"}', { format }, { reason: 'NOT_AN_ARRAY' });
    await assertRejected('"A"', { format }, { reason: 'NOT_AN_ARRAY' });
    await assertRejected('sku,b\nA,1', { format }, { reason: 'NOT_JSON' });
    await assertRejected('[{"sku":"A"}', { format }, { reason: 'NOT_JSON' });
    await assertRejected('[{"sku":"A"}] x', { format }, { reason: 'NOT_JSON' });
    await assertRejected('[]', { format }, { reason: 'NO_ROWS' });
    await assertRejected(' \n', { format }, { reason: 'EMPTY_FILE' });
    await assertRejected('', { format }, { reason: 'EMPTY_FILE' });
  });

  it('caps depth and the size of an element', async () => {
    const deep = `[{"a":${'['.repeat(50)}${']'.repeat(50)}}]`;
    await assertRejected(deep, { format: 'JSON' }, { reason: 'TOO_DEEP', row: 1 });
    const long = `[1,"${'x'.repeat(5000)}"]`;
    const limits = { maxRowBytes: 1000 };
    await assertRejected(long, { format: 'JSON', limits }, { reason: 'ROW_TOO_LONG', row: 2 });
    await assertRejected(long, { format: 'JSON', limits, blockBytes: 64 }, { reason: 'ROW_TOO_LONG', row: 2 });
    await assertRejected('[1,2,3]', { format: 'JSON', limits: { maxRows: 2 } }, { reason: 'TOO_MANY_ROWS' });
  });

  it('names the element that is not valid UTF-8', async () => {
    const upload = Buffer.from('[{"sku":"A"},{"sku":"\xe4"}]', 'latin1');
    await assertRejected(upload, { format: 'JSON' }, { reason: 'INVALID_ENCODING', row: 2 });
  });
});

describe('planSource: JSONL', () => {
  const format = 'JSONL';

  it('numbers rows by line and leaves bad lines to the parser', async () => {
    const planned = await plan('{"sku":"A"}\r\n\n  \nnot json\n{"sku":"B"}', { format });
    assert.equal(planned.plan.source, 'upload');
    assert.equal(planned.plan.totalRows, 3);
    assert.deepEqual(
      jsonRows(planned).map(({ row, problem }) => [row, problem?.code ?? null]),
      [
        [1, null],
        [4, 'ROW_NOT_OBJECT'],
        [5, null],
      ],
    );
  });

  it('refuses a file of which no line is JSON, an array over lines, and an empty one', async () => {
    await assertRejected('sku,b\nA,1\n', { format }, { reason: 'NOT_JSON' });
    await assertRejected('[\n{"sku":"A"}\n]', { format }, { reason: 'WRONG_FORMAT', message: /\.json/ });
    await assertRejected('', { format }, { reason: 'EMPTY_FILE' });
    await assertRejected('\n\n', { format }, { reason: 'NO_ROWS' });
  });

  it('caps depth and the length of a line', async () => {
    const deep = `{"sku":"A"}\n${'['.repeat(50)}${']'.repeat(50)}`;
    await assertRejected(deep, { format }, { reason: 'TOO_DEEP', row: 2 });
    const long = `{"sku":"A"}\n"${'x'.repeat(5000)}"\n`;
    for (const blockBytes of [64, 65_536]) {
      await assertRejected(
        long,
        { format, blockBytes, limits: { maxRowBytes: 1000 } },
        { reason: 'ROW_TOO_LONG', row: 2 },
      );
    }
  });

  it('reads gzip and UTF-16 through a spool', async () => {
    const text = '{"sku":"Ä"}\n{"sku":"B"}\n';
    const zipped = await plan(gzipSync(text), { format, gzip: true });
    const wide = await plan(Buffer.from(`\uFEFF${text}`, 'utf16le'), { format });
    assert.equal(zipped.plan.source, 'spool');
    assert.deepEqual(jsonRows(zipped), jsonRows(wide));
  });
});

describe('planSource: duplicate keys', () => {
  it('lists the rows that lost in the chunk they are in', async () => {
    const upload = 'sku,b\nA,1\nB,2\n A ,3\n"A",4\nC,5\nB,6\n,7\n,8\n';
    const last = await plan(upload, { limits: { chunkRows: 2 } });
    assert.deepEqual(
      last.plan.chunks.map((chunk) => chunk.duplicates),
      [
        [
          [2, 5],
          [3, 7],
        ],
        [[4, 5]],
        [],
        [],
      ],
    );
    const first = await plan(upload, { winner: 'first' });
    assert.deepEqual(duplicates(first), [
      [4, 2],
      [5, 2],
      [7, 3],
    ]);
  });

  it('compares keys as they are normalised', async () => {
    assert.deepEqual(duplicates(await plan('sku\nMu\u0308sli\nM\u00fcsli\n\u00a0A\nA\na\n"x""y"\n"x""y"\n')), [
      [2, 3],
      [4, 5],
      [7, 8],
    ]);
    assert.deepEqual(duplicates(await plan('sku\nx"y\n"x""y"\n')), [[2, 3]]);
    const folded = await plan('sku\nA\na\n', { normaliseKey: (key) => key.trim().toLowerCase() });
    assert.deepEqual(duplicates(folded), [[2, 3]]);
  });

  it('takes no key from a row that cannot be read', async () => {
    assert.deepEqual(duplicates(await plan('sku,b\nA,1\nA,2,3\nB,1\nB\nC,1\n"C"x,2\nC,"x"y\n')), []);
  });

  it('finds none without a key column', async () => {
    assert.deepEqual(duplicates(await plan('sku\nA\nA\n', { resolveHeader: () => -1 })), []);
  });

  it('finds them in spools and in JSON', async () => {
    const zipped = gzipSync('\uFEFFsku\nA\n\nA\n');
    assert.deepEqual(duplicates(await plan(zipped, { gzip: true })), [[2, 4]]);
    const array = '[{"sku":"A"},{"sku":" A"},{"sku":""},{"sku":""},{}]';
    assert.deepEqual(duplicates(await plan(array, { format: 'JSON' })), [[1, 2]]);
    const lines = '\n{"sku":"A"}\nbad\n{"sku":"A"}\n';
    assert.deepEqual(duplicates(await plan(lines, { format: 'JSONL', winner: 'first' })), [[4, 2]]);
  });
});

describe('planSource: running', () => {
  it('stops with the reason of the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const upload = `sku\n${'A\n'.repeat(2_000_000)}`;
    const onProgress = (): void => controller.abort(reason);
    await assert.rejects(plan(upload, { signal: controller.signal, onProgress }), reason);
  });

  it('tells how far it is about once a MiB', async () => {
    const told: number[] = [];
    const upload = Buffer.from(`sku\n${'x'.repeat(99).concat('\n').repeat(40_000)}`);
    await plan(upload, { resolveHeader: () => -1, onProgress: (bytesRead) => told.push(bytesRead) });
    assert.equal(told.length, 3);
    assert.ok(told.every((bytes, index) => bytes >= (index + 1) * 1024 * 1024));
  });

  it('closes the upload and the spool when it refuses them half-way', async () => {
    const text = `sku,b\n${'A,1\n'.repeat(200_000)}`;
    const refused: [Buffer, FixtureOptions][] = [
      [Buffer.from(text), {}],
      [gzipSync(text), { gzip: true }],
      [Buffer.from(`[${'{"sku":"A"},'.repeat(200_000)}{}]`), { format: 'JSON' }],
    ];
    for (const [upload, options] of refused) {
      const stream = inBlocks(upload, 100);
      const spool = new PassThrough().resume();
      const streams = { openUpload: async () => stream, createSpool: async () => spool };
      await assertRejected(upload, { ...options, ...streams, limits: { maxRows: 5 } }, { reason: 'TOO_MANY_ROWS' });
      assert.ok(stream.destroyed);
      assert.equal(spool.destroyed, options.gzip === true || options.format === 'JSON');
    }
  });

  it('closes the upload when it refuses its delimiter before the first row', async () => {
    const stream = inBlocks(Buffer.from(`sku,b\n${'A,1\n'.repeat(200_000)}`), 100);
    const options = { openUpload: async () => stream, options: { delimiter: '"' } };
    await assertRejected('', options, { reason: 'INVALID_DELIMITER' });
    assert.ok(stream.destroyed);
  });

  it('passes on the failure of the upload and of the spool', async () => {
    const lost = new Error('file store out of reach');
    const openUpload = async (): Promise<never> => {
      throw lost;
    };
    await assert.rejects(plan('sku\nA\n', { openUpload }), lost);
    await assert.rejects(plan('[1]', { format: 'JSON', createSpool: openUpload }), lost);
  });
});
