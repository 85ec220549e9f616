/** A grid of the rows that failed: each cell is edited in place, and the arrow keys lead from row to row. */
import type { JobError } from '@longshore/client';
import { type KeyboardEvent, memo, useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { SwitchInput } from '../../components/fields.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import type { Corrections } from './corrections.js';
import { groupKey } from './error-groups.js';
import { cellKey, type ErrorTable, type FailedRow } from './error-table.js';
import { meaningOf, useErrorText } from './error-texts.js';

const ROWS_A_PAGE = 25;
/** Columns that say which item a row is about stand at the left in files. */
const NAMING_COLUMNS = 2;

const useText = textsOf('failed-grid', {
  caption: { en: 'The rows that failed', de: 'Die fehlgeschlagenen Zeilen' },
  allColumns: { en: 'All columns of the file', de: 'Alle Spalten der Datei' },
  row: { en: 'Row', de: 'Zeile' },
  wrong: { en: 'What is wrong', de: 'Was nicht stimmt' },
  cell: { en: '{column}, row {row}', de: '{column}, Zeile {row}' },
  leaveOut: { en: 'Leave out', de: 'Weglassen' },
  takeBack: { en: 'Take back', de: 'Doch senden' },
  leaveOutRow: { en: 'Leave out row {row}', de: 'Zeile {row} weglassen' },
  takeBackRow: { en: 'Take back row {row}', de: 'Zeile {row} doch senden' },
  earlier: { en: 'Earlier rows', de: 'Frühere Zeilen' },
  later: { en: 'Further rows', de: 'Weitere Zeilen' },
  page: { en: '{from} to {to} of {count}', de: '{from} bis {to} von {count}' },
});

interface FailedGridProps {
  readonly table: ErrorTable;
  readonly errors: readonly JobError[];
  readonly corrections: Corrections;
  readonly columnOf: (name: string) => number;
  /** The group whose rows alone are shown. */
  readonly group: string | undefined;
}

export function FailedGrid({ table, errors, corrections, columnOf, group }: FailedGridProps) {
  const t = useText();
  const format = useFormat();
  const [page, setPage] = useState(0);
  const [showsAll, setShowsAll] = useState(false);
  const errorsByRow = useMemo(() => byRow(errors), [errors]);
  const rows = useMemo(() => {
    const isShown = ({ row }: FailedRow) =>
      group === undefined || errorsByRow.get(row)?.some(({ code, column }) => groupKey(code, column) === group);
    return table.rows.filter(isShown);
  }, [table.rows, errorsByRow, group]);
  const columns = useMemo(() => {
    const wrong = new Set(
      errors.flatMap(({ column, code }) =>
        column === null || (group !== undefined && groupKey(code, column) !== group) ? [] : [columnOf(column)],
      ),
    );
    return table.columns.flatMap((name, index) =>
      showsAll || index < NAMING_COLUMNS || wrong.has(index) ? [{ name, index }] : [],
    );
  }, [table.columns, errors, columnOf, group, showsAll]);
  const from = Math.min(
    page * ROWS_A_PAGE,
    Math.max(0, rows.length - 1) - (Math.max(0, rows.length - 1) % ROWS_A_PAGE),
  );
  const shown = rows.slice(from, from + ROWS_A_PAGE);
  return (
    <div className="failed-grid">
      <div className="grid-head">
        <SwitchInput label={t('allColumns')} isOn={showsAll} onChange={setShowsAll} />
        {rows.length > ROWS_A_PAGE ? (
          <div className="pager">
            <Button isDisabled={from === 0} onPress={() => setPage(from / ROWS_A_PAGE - 1)}>
              {t('earlier')}
            </Button>
            <span>
              {t('page', {
                from: format.number(from + 1),
                to: format.number(from + shown.length),
                count: format.number(rows.length),
              })}
            </span>
            <Button isDisabled={from + ROWS_A_PAGE >= rows.length} onPress={() => setPage(from / ROWS_A_PAGE + 1)}>
              {t('later')}
            </Button>
          </div>
        ) : null}
      </div>
      <div className="table-scroll">
        <table className="table dense grid" onKeyDown={moveByArrows}>
          <caption className="unseen">{t('caption')}</caption>
          <thead>
            <tr>
              <th scope="col" className="number">
                {t('row')}
              </th>
              <th scope="col">{t('wrong')}</th>
              {columns.map(({ name, index }) => (
                <th key={index} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <GridRow
                key={row.record}
                row={row}
                columns={columns}
                errors={errorsByRow.get(row.row)}
                columnOf={columnOf}
                corrections={corrections}
                edited={editsOf(row, columns, corrections)}
                isLeftOut={corrections.leftOut.has(row.row)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function byRow(errors: readonly JobError[]): ReadonlyMap<number, readonly JobError[]> {
  const rows = new Map<number, JobError[]>();
  for (const error of errors) {
    const known = rows.get(error.row);
    if (known === undefined) rows.set(error.row, [error]);
    else known.push(error);
  }
  return rows;
}

interface GridRowProps {
  readonly row: FailedRow;
  readonly columns: readonly { readonly name: string; readonly index: number }[];
  readonly errors: readonly JobError[] | undefined;
  readonly columnOf: (name: string) => number;
  readonly corrections: Corrections;
  /** The edits of this row as one text: the row is rendered again only when they change. */
  readonly edited: string;
  readonly isLeftOut: boolean;
}

const GridRow = memo(
  function GridRow({ row, columns, errors = [], columnOf, corrections, isLeftOut }: GridRowProps) {
    const t = useText();
    const meaning = useErrorText();
    const note = `wrong-${row.record}`;
    return (
      <tr className={isLeftOut ? 'left-out' : ''}>
        <th scope="row" className="number">
          {row.row}
        </th>
        <td id={note} className="wrong">
          {errors.map(({ column, code, message }) => (
            <span key={`${column}${code}${message}`} title={message}>
              {column === null ? '' : `${column}: `}
              {meaning(meaningOf(code))}
            </span>
          ))}
        </td>
        {columns.map(({ name, index }) => (
          <td key={index}>
            <Cell
              label={t('cell', { column: name, row: row.row })}
              place={`${row.record}:${index}`}
              before={row.cells[index] ?? ''}
              edited={corrections.edits.get(cellKey(row.row, index))}
              isWrong={errors.some(({ column }) => column !== null && columnOf(column) === index)}
              isDisabled={isLeftOut}
              note={note}
              onEdit={(value) => corrections.edit([{ row: row.row, column: index, value }])}
            />
          </td>
        ))}
        <td>
          <Button
            kind="quiet"
            aria-label={t(isLeftOut ? 'takeBackRow' : 'leaveOutRow', { row: row.row })}
            onPress={() => corrections.leaveOut(row.row, !isLeftOut)}
          >
            {t(isLeftOut ? 'takeBack' : 'leaveOut')}
          </Button>
        </td>
      </tr>
    );
  },
  (before, after) =>
    before.row === after.row &&
    before.columns === after.columns &&
    before.errors === after.errors &&
    before.edited === after.edited &&
    before.isLeftOut === after.isLeftOut,
);

function editsOf({ row }: FailedRow, columns: GridRowProps['columns'], { edits }: Corrections): string {
  return columns.map(({ index }) => edits.get(cellKey(row, index)) ?? '\0').join('\x01');
}

interface CellProps {
  readonly label: string;
  readonly place: string;
  readonly before: string;
  readonly edited: string | undefined;
  readonly isWrong: boolean;
  readonly isDisabled: boolean;
  /** The id of what says what is wrong. */
  readonly note: string;
  readonly onEdit: (value: string | undefined) => void;
}

function Cell({ label, place, before, edited, isWrong, isDisabled, note, onEdit }: CellProps) {
  const value = edited ?? before;
  const isEdited = edited !== undefined;
  const props = {
    'aria-label': label,
    'data-place': place,
    className: isEdited ? 'cell edited' : isWrong ? 'cell wrong' : 'cell',
    value,
    disabled: isDisabled,
    spellCheck: false,
    // Text from right to left is shown as such.
    dir: 'auto',
    ...(isWrong && !isEdited ? { 'aria-invalid': true, 'aria-describedby': note } : {}),
    // What is typed back to what it was is no correction, but of a cell that is wrong it may be one.
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onEdit(target.value === before && !isWrong ? undefined : target.value),
  };
  // A field of one line would take the line ends out of a text.
  return /[\r\n]/.test(before) ? (
    <textarea rows={1} {...props} />
  ) : (
    <input type="text" size={sizeOf(before)} {...props} />
  );
}

function sizeOf(text: string): number {
  return Math.max(8, Math.min(28, text.length + 1));
}

/** Up, down and Enter lead to the same column of another row, as in a spreadsheet. */
function moveByArrows(event: KeyboardEvent<HTMLTableElement>): void {
  const { target, key, shiftKey } = event;
  if (!(target instanceof HTMLElement) || target.dataset.place === undefined) return;
  const isUp = key === 'ArrowUp' || (key === 'Enter' && shiftKey);
  const isDown = key === 'ArrowDown' || (key === 'Enter' && !shiftKey);
  if (!(isUp || isDown) || (target instanceof HTMLTextAreaElement && key !== 'Enter')) return;
  const column = target.dataset.place.split(':')[1];
  const cells = [...event.currentTarget.querySelectorAll<HTMLElement>(`[data-place$=":${column}"]`)];
  const next = cells[cells.indexOf(target) + (isUp ? -1 : 1)];
  event.preventDefault();
  next?.focus();
  if (next instanceof HTMLInputElement) next.select();
}
