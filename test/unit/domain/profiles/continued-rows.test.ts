/** Rows that continue the one above them, as those of further images: they are joined, and divided again. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RejectedInput } from '../../../../src/domain/formats/model/rejected-input.js';
import { TEXT_COLUMN } from '../../../../src/domain/formats/model/workbook-column.js';
import { columnNames } from '../../../../src/domain/formats/table/column-names.js';
import type { TableRow } from '../../../../src/domain/formats/table/table.js';
import { compileProfile } from '../../../../src/domain/profiles/compile-profile.js';
import { type Profile, profileSchema } from '../../../../src/domain/profiles/model/profile.js';
import { notInvertible } from '../../../../src/domain/profiles/not-invertible.js';
import { RowWriter, type WriteLoss } from '../../../../src/domain/profiles/row-writer.js';
import { tryRows } from '../../../../src/domain/profiles/try-rows.js';

const HEADER = ['Handle', 'Title', 'Image', 'No'];
const RULE = {
  when: { column: 'Title', is: 'empty' },
  same: 'Handle',
  collect: [{ column: 'Image', orderBy: 'No' }],
};
const COLUMNS = [
  { to: 'SKU', from: 'Handle' },
  { to: 'Name', from: 'Title' },
  { to: 'Images', from: 'Image', steps: [{ step: 'list', separator: '\n' }] },
  { to: 'First', from: 'Image', split: { separator: '\n', part: 1 } },
];

const profileOf = (continuationRows: unknown = RULE, over: object = {}): Profile =>
  profileSchema.parse({ fileType: 'ITEM_IMPORT', columns: COLUMNS, continuationRows, ...over });

/** What a job reads of rows: the number of each, and its cells. */
function readBy(profile: Profile, rows: readonly TableRow[], header = HEADER, pieces = 1): [number, string[]][] {
  const compiled = compileProfile(profile);
  const format = { encoding: 'utf-8', delimiter: ',', headerRow: 1, sheet: null, rowPath: null };
  const ours = { keyColumn: 0, columns: compiled.headerCells.map(() => TEXT_COLUMN) };
  const { mapper } = compiled.open({ header, names: columnNames(header), format }, ours);
  const { joins } = mapper;
  assert.ok(joins);
  const joined: TableRow[] = [];
  for (let at = 0; at < rows.length; at += pieces) joined.push(...joins.join(rows.slice(at, at + pieces)));
  joined.push(...joins.rest());
  return joined.flatMap((row) => {
    const line = mapper.lineOf(row);
    return line === null ? [] : [[row.row, line.split('\u001f')]];
  });
}

const rowsOf = (cells: readonly (readonly string[])[], types: string | null = null): TableRow[] =>
  cells.map((each, index) => ({ row: index + 2, cells: each, types, problem: null }));

describe('rows that continue the one above them', () => {
  it('become values of it, in the order of their numbers; what has none comes last', () => {
    const rows = rowsOf([
      ['a', 'One', 'first', '1'],
      ['a', '', 'last', ''],
      ['a', '', 'third', '3'],
      ['a', '', '', '7'],
      ['a', '', ' second ', '2'],
      ['b', 'Two', 'only', '1'],
      ['c', 'Three', '', ''],
      ['c', '', 'late', '1'],
    ]);
    for (const pieces of [1, 3, 100]) {
      assert.deepEqual(readBy(profileOf(), rows, HEADER, pieces), [
        [2, ['a', 'One', 'first;second;third;last', 'first']],
        [7, ['b', 'Two', 'only', 'only']],
        [8, ['c', 'Three', 'late', 'late']],
      ]);
    }
  });

  it('need no column that is the same, where a row continues whatever stands above it', () => {
    const { same: _, ...rule } = RULE;
    const rows = rowsOf([
      ['a', 'One', 'first', ''],
      ['', '', 'second', ''],
      ['b', 'Two', '', ''],
    ]);
    assert.deepEqual(readBy(profileOf(rule), rows), [
      [2, ['a', 'One', 'first;second', 'first']],
      [4, ['b', 'Two', '', '']],
    ]);
  });

  it('fail one by one where the row above is of another item', () => {
    const rows = rowsOf([
      ['', '', 'none', ''],
      ['a', 'One', 'first', '1'],
      ['b', '', 'second', '2'],
      ['a', '', 'third', '3'],
    ]);
    const read = readBy(profileOf(), rows);
    assert.deepEqual(
      read.map(([row]) => row),
      [2, 3, 4, 5],
    );
    assert.deepEqual(read[1]?.[1], ['a', 'One', 'first', 'first']);
    assert.match(read[0]?.[1][0] ?? '', /ROW_CONTINUES_NONE.*\\"Handle\\"|ROW_CONTINUES_NONE.*Handle/);
    assert.match(read[2]?.[1][0] ?? '', /another .*Handle.* than .*"b/);
    assert.match(read[3]?.[1][0] ?? '', /directly below each other/);
  });

  it('make the whole item fail when one of them cannot be read', () => {
    const rows = rowsOf([
      ['a', 'One', 'first', '1'],
      ['a', '', 'second', '2'],
    ]);
    const [above, below] = rows as [TableRow, TableRow];
    const problem = { code: 'ROW_FIELD_COUNT', column: null, message: 'has 5 cells' } as const;
    const [only, ...others] = readBy(profileOf(), [above, { ...below, problem }]);
    assert.deepEqual([only?.[0], others], [2, []]);
    assert.match(only?.[1][0] ?? '', /row 3, which continues this row, cannot be read: has 5 cells/);
  });

  it('are left out with the row that they continue', () => {
    const profile = profileOf(RULE, { skipRowsWhen: [{ column: 'Handle', is: { equals: ['a'] } }] });
    const rows = rowsOf([
      ['a', 'One', 'first', '1'],
      ['a', '', 'second', '2'],
      ['b', 'Two', '', ''],
    ]);
    assert.deepEqual(readBy(profile, rows), [[4, ['b', 'Two', '', '']]]);
  });

  it('of a workbook keep what a cell cannot be read as', () => {
    const rows = rowsOf(
      [
        ['a', 'One', 'first', '1'],
        ['a', '', '\u0000e#N/A', '2'],
      ],
      'tt!n',
    ).map((row, index) => (index === 0 ? { ...row, types: 'tttn' } : row));
    assert.match(readBy(profileOf(), rows)[0]?.[1][2] ?? '', /#N\/A/);
  });

  it('hold no more than a row may', () => {
    const rows = rowsOf(Array.from({ length: 10 }, (_, index) => ['a', index === 0 ? 'One' : '', 'x'.repeat(1e6), '']));
    assert.throws(
      () => readBy(profileOf(), rows),
      (error) => error instanceof RejectedInput && /to row 10/.test(error.message),
    );
  });

  it('are named by columns that the file must have, but for those that a rule can do without', () => {
    const lacking = profileOf({ ...RULE, same: 'Id' });
    assert.throws(() => readBy(lacking, []), /the profile joins rows by the column "Id"/);
    const optional = COLUMNS.map((rule) => (rule.from === 'Image' ? { ...rule, optional: true } : rule));
    const rows = rowsOf([
      ['a', 'One'],
      ['a', ''],
    ]);
    assert.deepEqual(readBy(profileOf(RULE, { columns: optional }), rows, ['Handle', 'Title']), [
      [2, ['a', 'One', '', '']],
    ]);
  });

  it('are refused where they contradict themselves or other parts of the profile', () => {
    const problemsOf = (rule: object, over: object = {}) =>
      profileSchema
        .safeParse({ fileType: 'ITEM_IMPORT', columns: COLUMNS, continuationRows: { ...RULE, ...rule }, ...over })
        .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
    assert.deepEqual(problemsOf({}), []);
    assert.match(problemsOf({ same: 'title' })[0] ?? '', /same: is "title"/);
    assert.match(problemsOf({ same: 'Image' })[0] ?? '', /same: names "Image", whose values are collected/);
    assert.match(problemsOf({ collect: [{ column: 'Image' }, { column: 'image' }] })[0] ?? '', /twice/);
    assert.match(problemsOf({ collect: [{ column: 'Photo' }] })[0] ?? '', /collects "Photo", which no rule reads/);
    assert.match(problemsOf({}, { format: { rowPath: 'a/b' } })[0] ?? '', /is for tables/);
  });

  it('are shown by a trial as what they continue', () => {
    const rows = rowsOf([
      ['a', 'One', 'first', '1'],
      ['a', '', 'second', '2'],
      ['b', '', 'lost', '1'],
    ]).map(({ row, cells }) => ({ row, cells, types: null }));
    const { rows: tried } = tryRows(profileOf(), { names: HEADER, headerRow: 1, isNested: false, rows });
    assert.deepEqual(
      tried.map(({ row, continues, cells }) => [row, continues, cells[2]?.value]),
      [
        [2, null, 'first;second'],
        [3, 2, ''],
        [4, null, ''],
      ],
    );
    assert.match(tried[2]?.cells[0]?.problem ?? '', /continues a row above it/);
  });

  it('are written again for every value but the first, so that the file reads as the items are', () => {
    const value = fc.stringMatching(/^[a-z/.]{1,6}$/);
    const item = fc.record({ title: fc.constantFrom('One', 'Two', ''), images: fc.array(value, { maxLength: 4 }) });
    const marked = { ...RULE, when: { column: 'Kind', is: { equals: ['image'] } } };
    const rules = fc.constantFrom(RULE, marked, { ...RULE, collect: [{ column: 'Image' }] });
    fc.assert(
      fc.property(rules, fc.array(item, { maxLength: 5 }), (rule, items) => {
        const profile = profileOf(rule);
        const losses: WriteLoss[] = [];
        const options = { key: 0, canWrite: (text: string) => text !== '\n', clears: () => true };
        const writer = new RowWriter(profile, { ...options, onLoss: (loss) => losses.push(loss) });
        const given = items.map(({ title, images }, index) => [`k${index}`, title, images.join(';'), images[0] ?? '']);
        const written = given.flatMap((cells) => {
          const row = writer.write(cells);
          return row === null ? [] : [...writer.rowsOf(row)];
        });
        const isTitled = (cells: readonly string[]) => rule !== marked && cells[1] === '';
        const kept = given.filter((cells) => !isTitled(cells));
        assert.deepEqual(
          readBy(profile, rowsOf(written), [...writer.header]).map(([, cells]) => cells),
          kept,
        );
        assert.equal(losses.length, given.length - kept.length);
        assert.ok(losses.every(({ what }) => what === 'skipped'));
      }),
    );
  });

  it('are not written where an expression alone tells them, and a definition says so', () => {
    const profile = profileOf({ ...RULE, when: { column: 'Kind', is: { matches: 'im.*' } } });
    assert.deepEqual(
      notInvertible(profile).map(({ column, step }) => [column, step]),
      [
        ['Images', 'continuationRows'],
        ['First', 'continuationRows'],
      ],
    );
    const losses: WriteLoss[] = [];
    const options = { key: 0, canWrite: () => true, clears: () => true };
    const writer = new RowWriter(profile, { ...options, onLoss: (loss) => losses.push(loss) });
    assert.equal(writer.rowsOf(writer.write(['a', 'One', 'x;y', 'x']) ?? []).length, 1);
    assert.deepEqual(losses, [
      { what: 'cell', rule: 2 },
      { what: 'cell', rule: 3 },
    ]);
  });
});
