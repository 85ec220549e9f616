/** The error file can be mended and uploaded as it is, again and again. */
import assert from 'node:assert/strict';
import { csvErrorLine, errorFileHeader } from '../../../../src/domain/formats/error-files/csv-error-line.js';
import { jsonErrorLine } from '../../../../src/domain/formats/error-files/json-error-line.js';
import { csvErrorLines, jsonErrorLines } from '../../../../src/domain/formats/error-rows.js';
import type { RowProblem } from '../../../../src/domain/kernel/row-problem.js';
import { csvRows, plan } from './source-fixture.js';

const RANGE: RowProblem = { code: 'VALUE_RANGE', column: 'Size', message: 'Size is over 10' };
const RAGGED: RowProblem = { code: 'ROW_FIELD_COUNT', column: null, message: '5 cells, not 3' };

describe('the CSV error file', () => {
  const format = { headerCells: ['sku', '_row', 'Size, cm', ' _note'], delimiter: ',', withExtra: false, job: 'j1' };

  it('has the columns of the input but those of an earlier error file, then its own', () => {
    assert.equal(errorFileHeader(format), '\uFEFFsku,"Size, cm", _note,_row,_column,_code,_message,_job\r\n');
    assert.match(errorFileHeader({ ...format, withExtra: true }), /,_message,_job,_extra\r\n$/);
  });

  it('writes the cells of the input, quoted where needed, and joins several problems', () => {
    const line = csvErrorLine(7, ['A', '3', '1"\n2', 'x'], [RANGE, { ...RANGE, column: null }], format);
    assert.equal(line, 'A,"1""\n2",x,7,Size; ,VALUE_RANGE; VALUE_RANGE,Size is over 10; Size is over 10,j1\r\n');
  });

  it('keeps missing cells empty and surplus cells in _extra', () => {
    const ragged = { headerCells: ['sku', 'b', 'c'], delimiter: ';', withExtra: true, job: 'j1' };
    assert.equal(csvErrorLine(2, ['A'], [RAGGED], ragged), 'A;;;2;;ROW_FIELD_COUNT;5 cells, not 3;j1;\r\n');
    assert.equal(
      csvErrorLine(3, ['A', '1', '2', 'x', 'y;z'], [RAGGED], ragged),
      'A;1;2;3;;ROW_FIELD_COUNT;5 cells, not 3;j1;"x;""y;z"""\r\n',
    );
  });

  it('takes the failed rows out of a chunk', () => {
    const bytes = Buffer.from('A,1\n\nB,2\nC,3\n');
    const failed = new Map([
      [4, [RANGE]],
      [2, [RANGE]],
    ]);
    const lines = [
      ...csvErrorLines(bytes, 2, failed, { headerCells: ['sku', 'b'], delimiter: ',', withExtra: false, job: 'j1' }),
    ].join('');
    assert.equal(lines, 'A,1,2,Size,VALUE_RANGE,Size is over 10,j1\r\nB,2,4,Size,VALUE_RANGE,Size is over 10,j1\r\n');
  });

  it('can be uploaded as it is, in whatever encoding the input was named', async () => {
    let headerCells = ['sku', 'name'];
    let rows = [
      ['A', 'Äpfel, "grün"\n'],
      ['B', ' '],
    ];
    for (let round = 0; round < 3; round += 1) {
      const now = { headerCells, delimiter: ',', withExtra: true, job: 'j1' };
      const file = errorFileHeader(now) + rows.map((cells, at) => csvErrorLine(at + 2, cells, [RANGE], now)).join('');
      const planned = await plan(file, { options: { encoding: 'windows-1252' } });
      headerCells = planned.plan.headerCells ?? [];
      rows = csvRows(planned).map(({ cells }) => cells);
      assert.deepEqual(headerCells, ['sku', 'name', '_row', '_column', '_code', '_message', '_job', '_extra']);
    }
    assert.deepEqual(
      rows.map((cells) => cells.slice(0, 2)),
      [
        ['A', 'Äpfel, "grün"\n'],
        ['B', ' '],
      ],
    );
  });
});

describe('the JSON error file', () => {
  const told = '"_row":3,"_column":"Size","_code":"VALUE_RANGE","_message":"Size is over 10","_job":"j1"}';

  it('adds its fields to the element and leaves the rest as it was written', () => {
    assert.equal(
      jsonErrorLine(3, ' {"n": 12345678901234567890.10, "a":"x"} ', [RANGE], 'j1'),
      `{"n": 12345678901234567890.10, "a":"x",${told}`,
    );
    assert.equal(jsonErrorLine(3, '{ }', [RANGE], 'j1'), `{ ${told}`);
  });

  it('replaces the fields of an earlier error file', () => {
    assert.equal(
      jsonErrorLine(3, '{"sku":"A","_row":9,"__proto__":{"x":1}}', [RANGE], 'j1'),
      `{"sku":"A","__proto__":{"x":1},${told}`,
    );
  });

  it('keeps what is no object as text', () => {
    assert.equal(jsonErrorLine(3, '[1]', [RANGE], 'j1'), `{"_raw":"[1]",${told}`);
    assert.equal(jsonErrorLine(3, '{"a":', [RANGE], 'j1'), `{"_raw":"{\\"a\\":",${told}`);
  });

  it('takes the failed lines out of a chunk', () => {
    const bytes = Buffer.from('{"sku":"A"}\n\n{"sku":"B"}\n');
    assert.deepEqual([...jsonErrorLines(bytes, 1, new Map([[3, [RANGE]]]), 'j1')], [`{"sku":"B",${told}`]);
  });
});
