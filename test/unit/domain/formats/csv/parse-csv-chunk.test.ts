/** A row that is not what it should be is told as such, and never shifted. */
import assert from 'node:assert/strict';
import { type CsvRow, parseCsvChunk } from '../../../../../src/domain/formats/csv/parse-csv-chunk.js';

function parse(text: string, columns = 2): CsvRow[] {
  const headerCells = ['sku', ' Size ', 'c'].slice(0, columns);
  return parseCsvChunk(Buffer.from(text), { delimiter: ',', columns, firstRow: 2, headerCells });
}

function cellsOf(text: string): string[][] {
  return parse(text).map(({ cells }) => cells);
}

describe('parseCsvChunk', () => {
  it('takes a quote for one only at the start of a cell', () => {
    assert.deepEqual(cellsOf('5" screen,a"b"\n"5"" screen",""\n'), [
      ['5" screen', 'a"b"'],
      ['5" screen', ''],
    ]);
    assert.deepEqual(cellsOf(' "a",b\n'), [[' "a"', 'b']]);
  });

  it('ends a record at every kind of line end', () => {
    assert.deepEqual(cellsOf('a,1\rb,2\r\nc,3\n"d",4\r"e",5\r\n"f",6'), [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
      ['d', '4'],
      ['e', '5'],
      ['f', '6'],
    ]);
  });

  it('numbers rows over blank lines and lines of empty cells, quoted or not, which are no rows', () => {
    const lines = ['', 'a,1', '', ',', '"",', '"",""', ',""', '"",,""', '"""",', '"",b', '" ",'];
    assert.deepEqual(
      parse(`${lines.join('\n')}\n`).map(({ row, cells }) => [row, cells]),
      [
        [3, ['a', '1']],
        [10, ['"', '']],
        [11, ['', 'b']],
        [12, [' ', '']],
      ],
    );
  });

  it('names both counts of a ragged row and keeps its cells', () => {
    const [short, long] = parse('a\na,b,"c"\n');
    assert.equal(short?.problem?.code, 'ROW_FIELD_COUNT');
    assert.match(short?.problem?.message ?? '', /^Row 2 has 1 cell, but the header has 2\./);
    assert.match(long?.problem?.message ?? '', /^Row 3 has 3 cells, but the header has 2\./);
    assert.deepEqual(long?.cells, ['a', 'b', 'c']);
  });

  it('names the cell with text after its closing quote, and keeps it as it stands', () => {
    const [stray, next] = parse('a,"5" screen"\nb,2\n');
    assert.deepEqual(stray?.cells, ['a', '"5" screen"']);
    assert.equal(stray?.problem?.code, 'INVALID_TEXT');
    assert.equal(stray?.problem?.column, 'Size');
    assert.equal(stray?.problem?.value, '"5" screen"');
    assert.match(stray?.problem?.message ?? '', /^Row 2, cell 2: .*must be doubled \(""\)\.$/);
    assert.deepEqual(next, { row: 3, cells: ['b', '2'], problem: null });
  });

  it('tells of both faults where a stray quote leaves the row ragged', () => {
    const [row] = parse('a,"x"y",z\n');
    assert.deepEqual(row?.cells, ['a', '"x"y"', 'z']);
    assert.match(row?.problem?.message ?? '', /read as 3 cells; the header has 2/);
  });

  it('does not count the cells of a header while it is being read', () => {
    const [header] = parseCsvChunk(Buffer.from('"sku"x,b\n'), { delimiter: ',', columns: -1, firstRow: 1 });
    assert.match(header?.problem?.message ?? '', /^Row 1, cell 1: .*must be doubled \(""\)\.$/);
  });

  it('refuses a chunk that ends inside a quoted cell', () => {
    assert.throws(() => parse('a,1\nb,"2\n'), { reason: 'UNCLOSED_QUOTE', row: 3 });
  });
});
