/** A grid of the rows that failed: each cell is edited in place, and the arrow keys lead from row to row. */
import type { JobError } from '@longshore/client';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { SwitchInput } from '../../components/switch-input.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import type { Corrections } from './corrections.js';
import { groupKey } from './error-groups.js';
import type { ErrorTable, FailedRow } from './error-table.js';
import { editsOf, GridRow } from './grid-row.js';

const ROWS_A_PAGE = 25;
/** Each is a field: with very many columns, fewer rows are shown at once. */
const CELLS_A_PAGE = 400;
/** Columns that say which item a row is about stand at the left in files. */
const NAMING_COLUMNS = 2;

const useText = textsOf('failed-grid', {
  caption: { en: 'The rows that failed', de: 'Die fehlgeschlagenen Zeilen' },
  allColumns: { en: 'All columns of the file', de: 'Alle Spalten der Datei' },
  row: { en: 'Row', de: 'Zeile' },
  wrong: { en: 'What is wrong', de: 'Was nicht stimmt' },
  actions: { en: 'Actions', de: 'Aktionen' },
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
  const size = Math.max(3, Math.min(ROWS_A_PAGE, Math.floor(CELLS_A_PAGE / Math.max(1, columns.length))));
  const from = Math.min(page * size, Math.max(0, rows.length - 1) - (Math.max(0, rows.length - 1) % size));
  const shown = rows.slice(from, from + size);
  return (
    <div className="failed-grid">
      <div className="grid-head">
        <SwitchInput label={t('allColumns')} isOn={showsAll} onChange={setShowsAll} />
        {rows.length > size ? (
          <div className="pager">
            <Button isDisabled={from === 0} onPress={() => setPage(from / size - 1)}>
              {t('earlier')}
            </Button>
            <span>
              {t('page', {
                from: format.number(from + 1),
                to: format.number(from + shown.length),
                count: format.number(rows.length),
              })}
            </span>
            <Button isDisabled={from + size >= rows.length} onPress={() => setPage(from / size + 1)}>
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
              <th scope="col">{t('actions')}</th>
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
