import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { openTable } from '../../../../../src/domain/formats/table/open-table.js';
import { sourceInput } from '../source-fixture.js';
import { assertNotATable, readTable, shownRows } from './table-fixture.js';

describe('a CSV or TSV file as a table', () => {
  it('has the header, the rows with their numbers, and texts alone', async () => {
    const table = await readTable('SKU;Name\n\nA;"x;\ny"\n\nB;z\n');
    assert.deepEqual(table.header, ['SKU', 'Name']);
    assert.deepEqual(table.titleLines, []);
    assert.deepEqual(table.format, { encoding: 'utf-8', delimiter: ';', headerRow: 1, sheet: null, rowPath: null });
    assert.deepEqual(table.rows, [
      { row: 3, cells: ['A', 'x;\ny'], types: null, problem: null },
      { row: 5, cells: ['B', 'z'], types: null, problem: null },
    ]);
  });

  it('is decompressed, and read with a tab when its name ends in .tsv', async () => {
    const table = await readTable(gzipSync('SKU\tName\nA\tb,c\n'), {}, { format: 'TSV', gzip: true });
    assert.deepEqual(shownRows(table), [[2, 'A', 'b,c']]);
  });

  it('has its header in the row that is named, whose delimiter decides, below the title lines', async () => {
    const text = 'Preise, netto, in Euro, "brutto",\r\n\r\nStand;31.12.2026\r\nSKU;Name\r\nA;b\r\n';
    const table = await readTable(text, { headerRow: 4 });
    assert.equal(table.format.delimiter, ';');
    assert.equal(table.format.headerRow, 4);
    assert.deepEqual(table.titleLines, ['Preise, netto, in Euro, "brutto",', '', 'Stand;31.12.2026']);
    assert.deepEqual(table.header, ['SKU', 'Name']);
    assert.deepEqual(shownRows(table), [[5, 'A', 'b']]);
  });

  it('counts a line sep= as a row and as a title line', async () => {
    const table = await readTable('sep=|\nSKU|Name\nA|b\n');
    assert.deepEqual(table.titleLines, ['sep=|']);
    assert.deepEqual(table.format, { encoding: 'utf-8', delimiter: '|', headerRow: 2, sheet: null, rowPath: null });
    assert.deepEqual(shownRows(table), [[3, 'A', 'b']]);
    const named = await readTable('sep=|\nTitle\nSKU|Name\nA|b\n', { headerRow: 3 });
    assert.deepEqual(named.titleLines, ['sep=|', 'Title']);
    assert.deepEqual(shownRows(named), [[4, 'A', 'b']]);
    await assertNotATable('sep=|\nSKU|Name\n', 'INVALID_HEADER', /Row 1 is the line "sep="/, { headerRow: 1 });
  });

  it('leaves out rows at either end, and keeps the numbers of the others', async () => {
    const text = 'SKU,Name\nunits,text\n\nA,1\nB,2\nC,3\nTotal,6,,\n\n';
    const table = await readTable(text, { skipFirst: 1, skipLast: 1 });
    assert.deepEqual(shownRows(table), [
      [4, 'A', '1'],
      [5, 'B', '2'],
      [6, 'C', '3'],
    ]);
    assert.deepEqual(shownRows(await readTable(text, { skipFirst: 2, skipLast: 3 })), []);
    assert.deepEqual(shownRows(await readTable(text, { skipLast: 99 })), []);
  });

  it('refuses to keep back more text than it may hold', async () => {
    const long = 'x'.repeat(1_000_000);
    const text = `SKU,Name\n${Array.from({ length: 20 }, (_, index) => `A${index},${long}\n`).join('')}`;
    assert.equal((await readTable(text, { skipLast: 2 })).rows.length, 18);
    await assertNotATable(text, 'ROW_TOO_LONG', /so 20 rows cannot be skipped at the end/, { skipLast: 20 });
  });

  it('has other quotes, or none', async () => {
    const single = await readTable("SKU,Name\nA,'x, \"y\" '' z'\n'B',\"\n", { quote: "'" });
    assert.deepEqual(shownRows(single), [
      [2, 'A', 'x, "y" \' z'],
      [3, 'B', '"'],
    ]);
    const none = await readTable('SKU\tName\nA\t"3.5"" disk\nB\t"\n', { quote: '' }, { format: 'TSV' });
    assert.deepEqual(shownRows(none), [
      [2, 'A', '"3.5"" disk'],
      [3, 'B', '"'],
    ]);
    const stray = await readTable("SKU,Name\nA,'x'y\n", { quote: "'" });
    assert.match(stray.rows[0]?.problem?.message ?? '', /must be doubled \(''\)/);
    await assertNotATable("SKU,Name\nA,'x\n", 'UNCLOSED_QUOTE', /double it \(''\)/, { quote: "'" });
  });

  it('reports the problem of a row, and goes on', async () => {
    const table = await readTable('SKU,Name\nA\nB,"x"y\nC,d,e\nD,f\n');
    assert.deepEqual(shownRows(table), [
      [
        2,
        'ROW_FIELD_COUNT: Row 2 has 1 cell, but the header has 2. Add or remove delimiters, or quote the cell that holds one.',
      ],
      [
        3,
        'INVALID_TEXT: Row 3, cell 2: there is text after the closing quote. A quote inside a quoted cell must be doubled ("").',
      ],
      [
        4,
        'ROW_FIELD_COUNT: Row 4 has 3 cells, but the header has 2. Add or remove delimiters, or quote the cell that holds one.',
      ],
      [5, 'D', 'f'],
    ]);
    assert.equal(table.rows[1]?.problem?.column, 'Name');
    assert.deepEqual(table.rows[2]?.cells, ['C', 'd', 'e']);
  });

  it('has values in columns without a name, which a profile may name', async () => {
    const table = await readTable('SKU, ,Name\nA,b,c\n');
    assert.deepEqual(table.header, ['SKU', ' ', 'Name']);
    assert.deepEqual(table.names, ['SKU', 'Column 2', 'Name']);
    assert.deepEqual(shownRows(table), [[2, 'A', 'b', 'c']]);
  });

  it('has no rows when it has nothing but a header', async () => {
    assert.deepEqual((await readTable('SKU,Name')).rows, []);
  });

  it('is refused as a whole with the reason', async () => {
    await assertNotATable('', 'EMPTY_FILE', /^The file is empty/);
    await assertNotATable('\n\r\n,,\n', 'EMPTY_FILE', /nothing but blank lines/);
    await assertNotATable(' ; ;\t\nA;b;c\n', 'INVALID_HEADER', /The header, row 1, holds nothing but blanks/);
    await assertNotATable('A,b\n\nC,d\n', 'INVALID_HEADER', /Row 2, which should be the header, is blank/, {
      headerRow: 2,
    });
    await assertNotATable('A,b\nC,d\n', 'INVALID_HEADER', /should be in row 9, but the last row is row 2/, {
      headerRow: 9,
    });
    await assertNotATable(
      Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      'WRONG_FORMAT',
      /the file is a PNG image/,
    );
    await assertNotATable('[{"sku":"A"}]', 'WRONG_FORMAT', /the file is JSON/);
    await assertNotATable('A,b\nC,"d\nE,f\n', 'UNCLOSED_QUOTE', /opens in row 2/);
    await assertNotATable(`${'a,'.repeat(10_000)}z\n`, 'TOO_MANY_COLUMNS', /has 10001 columns; at most 2000/);
    await assertNotATable(Buffer.from('A,b\nC,\xe4\n', 'latin1'), 'INVALID_ENCODING', /^Row 2 is not valid UTF-8/);
    await assertNotATable('A,b\n', 'INVALID_DELIMITER', /cannot be used/, { delimiter: '"' });
    await assertNotATable('A,b\n1,2\n3,4\n', 'TOO_MANY_ROWS', /more than 1 rows/, {}, { limits: { maxRows: 1 } });
    await assertNotATable(
      `A,b\n1,${'x'.repeat(100)}\n`,
      'CELL_TOO_LONG',
      /Row 2/,
      {},
      { limits: { maxCellBytes: 50 } },
    );
  });

  it('takes its encoding, delimiter and sheet from the table before those of the import', async () => {
    const bytes = Buffer.from('SKU|N\xe4me\nA|b\n', 'latin1');
    const input = { options: { encoding: 'utf-16', delimiter: ';' } };
    const table = await readTable(bytes, { encoding: 'latin1', delimiter: '|' }, input);
    assert.deepEqual(table.header, ['SKU', 'Näme']);
    assert.equal(table.format.encoding, 'windows-1252');
    assert.deepEqual(shownRows(await readTable('SKU|x;Name\nA;b\n', {}, { options: { delimiter: ';' } })), [
      [2, 'A', 'b'],
    ]);
  });
});

describe('an open table', () => {
  /** A CSV file without an end. */
  function endless(): Readable {
    function* blocks(): Generator<Buffer> {
      yield Buffer.from('SKU,Name\n');
      for (;;) yield Buffer.from('A,b\n'.repeat(1_000));
    }
    return Readable.from(blocks());
  }

  it('reads no further than its batches are asked for, and closes its source when they are left', async () => {
    const source = endless();
    const table = await openTable(sourceInput(Buffer.alloc(0), { openUpload: async () => source }), {});
    let rows = 0;
    for await (const batch of table.batches) {
      rows += batch.length;
      if (rows > 10_000) break;
    }
    assert.equal(source.destroyed, true);
    const untouched = endless();
    const other = await openTable(sourceInput(Buffer.alloc(0), { openUpload: async () => untouched }), {});
    await other.batches.return();
    assert.equal(untouched.destroyed, true);
  });

  it('closes its source when it cannot be opened', async () => {
    const source = endless();
    const input = sourceInput(Buffer.alloc(0), { openUpload: async () => source });
    await assert.rejects(openTable(input, { delimiter: '"' }), { reason: 'INVALID_DELIMITER' });
    assert.equal(source.destroyed, true);
  });

  it('yields to the event loop, and ends with the reason of its signal', async () => {
    const aborting = new AbortController();
    const input = sourceInput(Buffer.alloc(0), { openUpload: async () => endless(), signal: aborting.signal });
    const { batches } = await openTable(input, {});
    setImmediate(() => aborting.abort(new Error('stopped')));
    await assert.rejects(
      async () => {
        for await (const batch of batches) assert.ok(batch.length > 0);
      },
      { message: 'stopped' },
    );
  });
});
