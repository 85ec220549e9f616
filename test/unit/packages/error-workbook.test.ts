/** The console reads the error file of a workbook as a grid, and writes it again as the server reads it. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import {
  type FailedSourceRow,
  type SourceWorkbook,
  writeSourceWorkbook,
} from '../../../src/domain/formats/error-files/source-workbook.js';
import { FILE_FORMATS } from '../../../src/domain/formats/file-format.js';
import type { Cell, StyledCell } from '../../../src/domain/formats/xlsx/cell.js';
import { cellsOf, workbookOf } from '../../support/models/written-workbook.js';
import { zipEntries } from '../../support/models/zip-entries.js';
import { readWorkbook } from '../domain/formats/xlsx/rows/workbook-fixture.js';

const SOURCE = fileURLToPath(
  new URL('../../../../packages/console/src/pages/imports/workbook/error-workbook.ts', import.meta.url),
);
const TYPE = FILE_FORMATS.XLSX.mediaType;
const HEADER = ['SKU', 'Price', 'Since', 'Active', 'Note'];
const DAY = 'dd.mm.yyyy';

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly row: number; readonly cells: readonly string[] }[];
  readonly write: (edits: ReadonlyMap<string, string>, leftOut: ReadonlySet<number>) => Promise<Blob>;
}

function blobOf(bytes: Buffer): Blob {
  return new Blob([Uint8Array.from(bytes)], { type: TYPE });
}

/** A row with cells of all kinds. */
function failedRow(row: number, cells: readonly (readonly [Cell, (number | string)?])[], code = 'UNKNOWN_CATEGORY') {
  const styled = cells.map(([value, format = 0]): StyledCell => ({ value, format }));
  const problems = [{ code, column: 'Price', message: 'it is wrong' }] as FailedSourceRow['problems'];
  return { row, cells: styled, problems, faults: new Map([[1, `${code}: it is wrong`]]) };
}

async function errorFile(rows: readonly FailedSourceRow[], over: Partial<SourceWorkbook> = {}): Promise<Buffer> {
  const sink = new PassThrough();
  const bytes = buffer(sink);
  async function* failed() {
    yield* rows;
  }
  await writeSourceWorkbook(sink, {
    ...{ sheetName: 'Liste', header: HEADER, withExtra: false, job: 'a-job', titles: [], skipped: [] },
    ...{ failed: failed(), last: async () => [], ...over },
  });
  return bytes;
}

describe('the grid of an error file that is a workbook', () => {
  let readErrorWorkbook: (file: Blob) => Promise<Table | undefined>;

  before(async () => {
    const { outputFiles } = await build({ entryPoints: [SOURCE], bundle: true, write: false, format: 'esm' });
    const code = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64');
    ({ readErrorWorkbook } = await import(`data:text/javascript;base64,${code}`));
  });

  const opened = async (bytes: Buffer): Promise<Table> => {
    const table = await readErrorWorkbook(blobOf(bytes));
    assert.ok(table !== undefined);
    return table;
  };
  const sent = async (table: Table, edits: Record<string, string>, leftOut: readonly number[] = []) => {
    const file = await table.write(new Map(Object.entries(edits)), new Set(leftOut));
    assert.equal(file.type, TYPE);
    return Buffer.from(await file.arrayBuffer());
  };
  const TWO = () =>
    errorFile([
      failedRow(7, [['A-1'], [12.5, '0.00'], [45_322, DAY], [true], ['a & b <c>\r\n_x000D_ ']]),
      failedRow(9, [[42, '00000'], [null], [45_322.5, 'dd.mm.yyyy hh:mm'], [{ error: '#N/A' }], [0.25, 'hh:mm']]),
      failedRow(12, [['A-3'], ['many'], ['soon'], [false], ['']]),
    ]);

  it('shows cells as a person writes them', async () => {
    const { columns, rows } = await opened(await TWO());
    assert.deepEqual(columns, HEADER);
    assert.deepEqual(
      rows.map(({ row, cells }) => [row, ...cells]),
      [
        [7, 'A-1', '12.5', '2024-01-31', 'TRUE', 'a & b <c>\r\n_x000D_ '],
        [9, '00042', '', '2024-01-31 12:00:00', '#N/A', '06:00:00'],
        [12, 'A-3', 'many', 'soon', 'FALSE', ''],
      ],
    );
  });

  it('writes what was not corrected as it was', async () => {
    const bytes = await TWO();
    const again = await sent(await opened(bytes), {});
    assert.deepEqual(await zipEntries(again), await zipEntries(bytes));
    assert.deepEqual(await readWorkbook(again), await readWorkbook(bytes));
  });

  it('writes corrected cells in the kind that they had, or as text, and leaves rows out', async () => {
    const again = await sent(
      await opened(await TWO()),
      {
        ...{ '7:0': ' <B>&"1"', '7:1': '13.75', '7:2': '2024-02-29', '7:3': 'false', '7:4': '_x0041_\u0001' },
        ...{ '9:0': '00043', '9:1': '5.5', '9:2': '2024-02-29 06:30', '9:3': 'TRUE', '9:4': '07:15' },
      },
      [12],
    );
    const sheet = (await cellsOf(again)).map((cells) => cells.slice(0, 5));
    assert.deepEqual(sheet.slice(1), [
      [' <B>&"1"', 'n:13.75', 'n:45351', 'b:0', '_x005F_x0041__x0001_'],
      ['n:43', '5.5', 'n:45351.270833333336', 'TRUE', 'n:0.3020833333333333'],
    ]);
    const { rows } = await readWorkbook(again);
    assert.deepEqual(
      rows.map((cells) => cells.slice(0, 7)),
      [
        [2, ' <B>&"1"', '13.75', '<2024-02-29>', 'FALSE', rows[0]?.[5], '7'],
        [3, '43', '5.5', '<2024-02-29T06:30:00.000Z>', 'TRUE', '<07:15:00>', '9'],
      ],
    );
    assert.deepEqual((await opened(again)).rows[0]?.cells[4], '_x0041_\u0001', 'it reads what it has written');
  });

  it('writes as text what is of no such kind, and what the kind of the cell was wrong with', async () => {
    const wrongKind = failedRow(9, [['A-2'], [1.5], [45_322, DAY], [true], [45_322, DAY]], 'VALUE_TYPE');
    const right = failedRow(7, [[7, '000'], [1.5], [45_322, DAY], [true], [3]]);
    const again = await sent(await opened(await errorFile([right, wrongKind])), {
      ...{ '7:0': '8', '7:1': '1,5', '7:2': '2024-02-30', '7:3': 'yes', '7:4': '12345678901234567' },
      ...{ '9:1': '1.5', '9:2': '2024-02-01', '9:3': '', '9:4': '09:30' },
    });
    const [, ...rows] = await cellsOf(again);
    assert.deepEqual(
      rows.map((cells) => cells.slice(0, 5)),
      [
        ['8', '1,5', '2024-02-30', 'yes', '12345678901234567'],
        ['A-2', '1.5', 'n:45323', '', '09:30'],
      ],
    );
  });

  it('keeps the titles above, the rows that a profile leaves out, and the numbers of rows behind those left out', async () => {
    const plain = (...cells: Cell[]) => cells.map((value) => ({ value, format: 0 }));
    const bytes = await errorFile(
      [failedRow(7, [['A-1'], ['x']]), failedRow(8, [['A-2'], ['y']]), failedRow(9, [['A-3'], ['z']])],
      { titles: [plain('Price list', 2024)], skipped: [plain('Nr', 'EUR')], last: async () => [plain('Total', 3)] },
    );
    const table = await opened(bytes);
    assert.deepEqual(
      table.rows.map(({ row }) => row),
      [7, 8, 9],
    );
    const again = await cellsOf(await sent(table, { '9:1': '5' }, [8]));
    assert.deepEqual(
      Array.from(again, (cells) => cells?.slice(0, 2) ?? []),
      [['Price list', 'n:2024'], ['SKU', 'Price'], ['Nr', 'EUR'], ['A-1', 'x'], [], ['A-3', '5'], ['Total', 'n:3']],
    );
  });

  it('leaves to their own programs what is no such workbook, is damaged, or is very large', async () => {
    const bytes = await TWO();
    const half = bytes.subarray(0, bytes.length / 2);
    const at = bytes.indexOf('xl/worksheets/sheet1.xml') + 200;
    const damaged = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(40, 0xff), bytes.subarray(at + 40)]);
    const others = [Buffer.from('no archive'), half, damaged, await workbookOf(['SKU'], [['A-1']])];
    for (const [index, file] of others.entries())
      assert.equal(await readErrorWorkbook(blobOf(file)), undefined, `${index}`);
    const long = 'x'.repeat(30_000);
    const large = await errorFile(Array.from({ length: 700 }, (_, row) => failedRow(row + 1, [[long]])));
    assert.equal(await readErrorWorkbook(blobOf(large)), undefined);
  });
});
