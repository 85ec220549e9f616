/** Mapping the rows of a table by a profile. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LEFT_OUT, NOT_WRITTEN } from '../../../../src/domain/formats/mapped/table-mapping.js';
import { RejectedInput } from '../../../../src/domain/formats/model/rejected-input.js';
import { TEXT_COLUMN, type WorkbookColumn } from '../../../../src/domain/formats/model/workbook-column.js';
import { columnNames } from '../../../../src/domain/formats/table/column-names.js';
import type { TableRow } from '../../../../src/domain/formats/table/table.js';
import { problemOfMarked } from '../../../../src/domain/formats/xlsx/rows/marked-cell.js';
import { compileProfile, type MappedTable } from '../../../../src/domain/profiles/compile-profile.js';
import { profileSchema } from '../../../../src/domain/profiles/model/profile.js';

const NUMBERS: WorkbookColumn = { kind: 'number', decimalSeparator: '.', writeDate: null };
const DATES: WorkbookColumn = { kind: 'other', decimalSeparator: '.', writeDate: (date) => date };
const SEPARATOR = '\u001f';

interface Given {
  readonly columns: readonly object[];
  readonly over?: object;
  readonly ours?: Readonly<Record<string, WorkbookColumn>>;
}

/** A profile that is opened on a file with this header; the first rule is that of the key. */
function opened(header: readonly string[], { columns, over, ours = {} }: Given): MappedTable {
  const compiled = compileProfile(profileSchema.parse({ fileType: 'ITEM_IMPORT', columns, ...over }));
  const format = { encoding: 'utf-8', delimiter: ';', headerRow: 1, sheet: null, rowPath: null };
  const read = { keyColumn: 0, columns: compiled.headerCells.map((name) => ours[name] ?? TEXT_COLUMN) };
  return compiled.open({ header, names: columnNames(header), format }, read);
}

const row = (cells: readonly string[], types: string | null = null): TableRow => ({
  row: 2,
  cells,
  types,
  problem: null,
});
/** The cells of a line, which has none with a separator in it. */
const mappedCells = ({ mapper }: MappedTable, cells: readonly string[], types: string | null = null) =>
  mapper.lineOf(row(cells, types))?.split(SEPARATOR);
/** What a rule makes of a cell. */
const made = (steps: readonly object[], text: string, type = 't', column: WorkbookColumn = TEXT_COLUMN): string => {
  const columns = [
    { to: 'SKU', from: 'Nr' },
    { to: 'X', from: 'x', steps },
  ];
  return mappedCells(opened(['Nr', 'x'], { columns, ours: { X: column } }), ['a', text], `t${type}`)?.[1] ?? '';
};
const failure = (cell: string) => problemOfMarked(cell.slice(1, -1).replaceAll('""', '"'), 'X');

describe('a compiled profile', () => {
  it('takes a column, the first or all of several, a part of one, and what each row has', () => {
    const columns = [
      { to: 'SKU', from: 'nr' },
      { to: 'First', from: ['a', 'b'] },
      { to: 'All', from: ['b', 'a'], combine: 'join', joinWith: '/' },
      { to: 'Part', from: 'c', split: { separator: '-', part: 2 } },
      { to: 'Cut', from: 'c', split: { start: 2, end: 3 } },
      { to: 'Brand', constant: 'Acme' },
      { to: null, from: 'd' },
    ];
    const table = opened(['Nr', 'A', 'B', 'C', 'D'], { columns });
    assert.deepEqual(mappedCells(table, ['1', ' ', 'x', 'p-q', 'z']), ['1', 'x', 'x', 'q', '-q', 'Acme']);
    assert.deepEqual(mappedCells(table, ['1', 'y', 'x', '', 'z']), ['1', 'y', 'x/y', '', '', 'Acme']);
    assert.deepEqual(table.sourceNames, ['Nr', 'A, B', 'B, A', 'C', 'C', 'Brand']);
    assert.deepEqual(table.mapper.textsOf(['1', ' ', 'x', 'p-q', 'z']), ['1', 'x', 'x', 'p-q', 'p-q', 'Acme']);
  });

  it('runs the steps in order, and leaves empty cells to `default`', () => {
    const steps = [{ step: 'trim' }, { step: 'default', value: 'none' }, { step: 'case', to: 'upper' }];
    assert.equal(made(steps, ' a '), 'A');
    assert.equal(made(steps, '  '), 'NONE');
    assert.equal(made([{ step: 'number', decimal: ',' }], ''), '');
    assert.equal(made([{ step: 'number', decimal: ',' }], '  '), '', 'a cell of blanks is no number that fails');
  });

  it('writes numbers in digits, dates as their column reads them, and words as TRUE and FALSE', () => {
    const number = [{ step: 'number', decimal: ',', thousands: '.' }];
    assert.equal(made(number, '1.950,20', 't', NUMBERS), '1950.2');
    assert.equal(made(number, '12,00', 't', NUMBERS), '12');
    assert.equal(made(number, '1.950', 't', { ...NUMBERS, decimalSeparator: ',' }), '1950');
    assert.equal(made(number, '1,5', 't', { ...NUMBERS, decimalSeparator: ',' }), '1,5');
    // Spreadsheets write large and small numbers so.
    assert.equal(made(number, '4,26E+12', 't', NUMBERS), '4260000000000');
    assert.equal(made(number, '-1,2345e2', 't', NUMBERS), '-123.45');
    assert.equal(made(number, '15E-07', 't', NUMBERS), '0.0000015');
    // With a point that may be the decimal sign of the program, it would be a thousand times as much.
    for (const text of ['4.123E+12', '1.234E3', '1.234,5E3'])
      assert.match(failure(made(number, text, 't', NUMBERS)).message, /is no number with a comma as the decimal sign/);
    assert.match(failure(made(number, '1E+100', 't', NUMBERS)).message, /"1E\+100" is no number/);
    const date = [{ step: 'date', formats: ['dd.MM.yyyy'] }];
    assert.equal(made(date, '31.12.2026', 't', DATES), '2026-12-31');
    assert.equal(
      made(date, '31.12.2026', 't', { ...DATES, writeDate: (day) => day.replaceAll('-', '/') }),
      '2026/12/31',
    );
    assert.equal(made([{ step: 'boolean', true: ['ja'], false: ['nein'] }], 'JA'), 'TRUE');
  });

  it('puts texts in quotes that are still to be read as numbers or dates, and no others', () => {
    assert.equal(made([], '1.950', 't', NUMBERS), '"1.950"');
    assert.equal(made([], '1950', 't', NUMBERS), '1950');
    assert.equal(made([], '1.2.2026', 't', DATES), '"1.2.2026"');
    assert.equal(made([], '1.950'), '1.950');
    assert.equal(made([], 'say "x"'), '"say ""x"""');
  });

  it('does not read cells of a workbook again that are numbers, dates or booleans', () => {
    const number = [
      { step: 'removeUnit', units: ['kg'] },
      { step: 'number', decimal: ',', thousands: '.' },
    ];
    assert.equal(made(number, '1.5', 'n', NUMBERS), '1.5');
    assert.equal(made([{ step: 'date', formats: ['dd.MM.yyyy'] }], '2026-12-31', 'd', DATES), '2026-12-31');
    assert.equal(made([{ step: 'boolean', true: ['ja'], false: ['nein'] }], 'TRUE', 'b'), 'TRUE');
    assert.equal(made([{ step: 'boolean', true: ['1'], false: ['0'] }], '1', 'n'), 'TRUE', 'a number may be a word');
    assert.equal(made([{ step: 'suffix', text: ' kg' }], '1.5', 'n'), '1.5 kg');
    assert.equal(
      made([], '2026-12-31', 'd').charCodeAt(0),
      0,
      'a date in a column of texts is refused as without a profile',
    );
    assert.equal(made([], '1.5', 'n').charCodeAt(0), 0);
  });

  it('divides lists, converts each value, and escapes what would divide them again', () => {
    const list = { step: 'list', separator: '|' };
    assert.equal(made([list, { step: 'case', to: 'upper' }], ' a | b||c'), 'A;B;C');
    assert.equal(made([list, { step: 'default', value: 'none' }], '|'), 'none');
    assert.match(
      failure(made([list, { step: 'number', decimal: ',' }], '1|x')).message,
      /"x" is no number.*\(the cell holds "1\|x"\)/,
    );
    const columns = [
      { to: 'SKU', from: 'Nr' },
      { to: 'Alternate Categories', from: 'x', steps: [list, { step: 'path', separator: '>' }] },
    ];
    assert.deepEqual(mappedCells(opened(['Nr', 'x'], { columns }), ['a', 'A > B;C|D']), ['a', 'A->B\\;C;D']);
  });

  it('marks a cell that a step refuses, with the step, the column and the text of the source', () => {
    const problem = failure(made([{ step: 'trim' }, { step: 'number', decimal: ',' }], ' free '));
    assert.deepEqual([problem.code, problem.column, problem.value], ['PROFILE_STEP_FAILED', 'X', ' free ']);
    assert.match(
      problem.message,
      /the step "number" of the profile cannot convert the column "x": "free" is no number/,
    );
  });

  it('fails a row that has too many cells as a whole, and makes no blank line of a row', () => {
    const table = opened(['Nr', 'x'], {
      columns: [
        { to: 'Title', from: 'x' },
        { to: 'SKU', from: 'Nr' },
      ],
    });
    const line = table.mapper.lineOf({
      ...row(['a']),
      problem: { code: 'ROW_FIELD_COUNT', column: null, message: 'too few' },
    });
    const problem = problemOfMarked((line ?? '').slice(1, -2).replaceAll('""', '"'), 'SKU');
    assert.deepEqual(problem, { code: 'ROW_FIELD_COUNT', column: null, message: 'too few' });
    const only = opened(['Nr', 'x'], { columns: [{ to: 'SKU', from: 'Nr' }] });
    assert.equal(only.mapper.lineOf(row(['', 'y'])), ' ');
  });

  it('leaves out rows for which a condition holds', () => {
    const skipRowsWhen = [
      { column: 'nr', is: 'empty' },
      { column: 'x', is: { equals: ['Summe'] } },
      { column: 'x', is: { matches: 'Gesamt.*' } },
    ];
    const table = opened(['Nr', 'X'], { columns: [{ to: 'SKU', from: 'Nr' }], over: { skipRowsWhen } });
    const kept = [
      ['a', 'y'],
      [' ', 'y'],
      ['a', ' Summe '],
      ['a', 'Gesamt A'],
      ['a', 'im Gesamt'],
    ].map((cells) => table.mapper.lineOf(row(cells)) !== null);
    assert.deepEqual(kept, [true, false, false, false, true]);
  });

  it('refuses a file that lacks columns, naming all of them and those that are near', () => {
    const columns = [
      { to: 'SKU', from: 'Artikelnumer' },
      { to: 'Price', from: 'Zzz' },
      { to: null, from: 'gone' },
    ];
    assert.throws(
      () => opened(['Artikelnummer', 'B'], { columns }),
      (error) =>
        error instanceof RejectedInput &&
        error.reason === 'MISSING_COLUMN' &&
        /"Artikelnumer".*did you mean "Artikelnummer"\?[\s\S]*"Zzz".*its columns are "Artikelnummer", "B"/.test(
          error.message,
        ),
    );
  });

  it('ignores, tells of or refuses columns that no rule names, but never those of error files', () => {
    const header = ['Nr', 'Extra', '', '_row', '_job'];
    const columns = [{ to: 'SKU', from: 'Nr' }];
    assert.deepEqual(opened(header, { columns }).unmapped, ['Extra']);
    assert.deepEqual(opened(header, { columns, over: { unknownColumns: 'ignore' } }).unmapped, []);
    assert.throws(() => opened(header, { columns, over: { unknownColumns: 'fail' } }), /"Extra" is not in the profile/);
  });

  const cell = fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '1.950,27',
      '-3',
      '12,50',
      '1,950.5',
      '31.12.2026',
      '29.02.2023',
      '29.02.2024',
      'ja',
      'Nein',
    ),
    fc.constantFrom(
      'A > B',
      '> A',
      'A >> B',
      '12 kg',
      '3,5kg',
      '007',
      '+1',
      '"q"',
      'a\u001fb',
      'a\nb',
      '\u0000x',
      'Öl – 5 €',
    ),
    fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map((number) => String(number).replace('.', ',')),
    fc
      .date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10).split('-').reverse().join('.')),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const stepsOf = fc.constantFrom<readonly object[]>(
    [],
    [{ step: 'trim' }],
    [{ step: 'number', decimal: ',', thousands: '.' }],
    [{ step: 'trim' }, { step: 'removeUnit', units: ['kg'] }, { step: 'number', decimal: ',' }],
    [{ step: 'number', decimal: '.', thousands: ',', currency: ['€'] }],
    [{ step: 'date', formats: ['dd.MM.yyyy'] }],
    [{ step: 'date', formats: ['yyyy-MM-dd', 'dd.MM.yyyy'] }],
    [{ step: 'boolean', true: ['ja'], false: ['nein'] }],
    [{ step: 'path', separator: '>' }],
    [
      { step: 'default', value: 'x' },
      { step: 'case', to: 'upper' },
    ],
    [{ step: 'list', separator: ',' }, { step: 'trim' }],
  );
  const columnOf = fc.constantFrom(TEXT_COLUMN, NUMBERS, DATES, {
    ...DATES,
    writeDate: (day: string) => day.replaceAll('-', '/'),
  });

  it('writes the same line of bytes as of texts, whatever the cells are', () => {
    const rule = fc.record({ steps: stepsOf, column: columnOf });
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 4 }),
        fc.array(fc.array(cell, { minLength: 5, maxLength: 5 })),
        (rules, rows) => {
          const names = rules.map((_, index) => `X${index}`);
          const columns = [
            { to: 'SKU', from: 'c4' },
            ...rules.map(({ steps }, index) => ({ to: `X${index}`, from: `c${index}`, steps })),
          ];
          const ours = Object.fromEntries(names.map((name, index) => [name, rules[index]?.column ?? TEXT_COLUMN]));
          const over = { skipRowsWhen: [{ column: 'c4', is: 'empty' }] };
          const { mapper } = opened(['c0', 'c1', 'c2', 'c3', 'c4'], { columns, ours, over });
          const target = Buffer.alloc(64 * 1024);
          for (const cells of rows) {
            // What cannot be told apart in bytes is no text that a file holds.
            const texts = cells.map((text) => text.toWellFormed());
            const line = mapper.lineOf(row(texts));
            const end = mapper.bytes?.writeLine(recordOf(texts), target, 0, target.length);
            if (end === NOT_WRITTEN) continue;
            assert.equal(end === LEFT_OUT ? null : target.toString('utf8', 0, end), line);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** The cells as a scanner finds them in a record. */
function recordOf(cells: readonly string[]) {
  const bytes = Buffer.from(cells.join(''));
  const ends: number[] = [];
  for (const text of cells) ends.push((ends.at(-1) ?? 0) + Buffer.byteLength(text));
  const starts = ends.map((_, index) => ends[index - 1] ?? 0);
  return { row: 2, bytes, starts: Int32Array.from(starts), ends: Int32Array.from(ends), forms: null };
}
