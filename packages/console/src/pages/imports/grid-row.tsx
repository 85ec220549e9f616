/** A row that failed: each cell is a field, and those that are wrong say so. */
import type { JobError } from '@longshore/client';
import { memo } from 'react';
import { Button } from '../../components/button.js';
import { setApart } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import type { Corrections } from './corrections.js';
import { cellKey, type FailedRow } from './error-table.js';
import { meaningOf, useErrorText } from './error-texts.js';

const useText = textsOf('grid-row', {
  cell: { en: '{column}, row {row}', de: '{column}, Zeile {row}' },
  leaveOut: { en: 'Leave out', de: 'Weglassen' },
  takeBack: { en: 'Take back', de: 'Doch senden' },
  leaveOutRow: { en: 'Leave out row {row}', de: 'Zeile {row} weglassen' },
  more: { en: 'and {count} more', de: 'und {count} weitere' },
  takeBackRow: { en: 'Take back row {row}', de: 'Zeile {row} doch senden' },
});

/** Of more problems of a row the cells themselves say where they are. */
const MOST_NOTED = 12;
/** A longer text makes a field, and with it the page, slow: it is shown, and corrected in the error file or by its group. */
const MOST_TYPED = 20_000;
const LONGEST = 80;

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

export const GridRow = memo(
  function GridRow({ row, columns, errors = [], columnOf, corrections, isLeftOut }: GridRowProps) {
    const t = useText();
    const meaning = useErrorText();
    const note = `wrong-${row.record}`;
    const wrong = new Set(errors.map(({ column }) => (column === null ? -1 : columnOf(column))));
    return (
      <tr className={isLeftOut ? 'left-out' : ''}>
        <th scope="row" className="number">
          {row.row}
        </th>
        <td id={note} className="wrong">
          {errors.slice(0, MOST_NOTED).map(({ column, code, message }) => (
            <span key={`${column}${code}${message}`} title={message}>
              {column === null ? '' : `${setApart(column)}: `}
              {meaning(meaningOf(code))}
            </span>
          ))}
          {errors.length > MOST_NOTED ? <span>{t('more', { count: errors.length - MOST_NOTED })}</span> : null}
        </td>
        {columns.map(({ name, index }) => (
          <td key={index}>
            <Cell
              label={t('cell', { column: name, row: row.row })}
              place={`${row.record}:${index}`}
              before={row.cells[index] ?? ''}
              edited={corrections.edits.get(cellKey(row.row, index))}
              isWrong={wrong.has(index)}
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

/** The edits of a row as one text. */
export function editsOf({ row }: FailedRow, columns: GridRowProps['columns'], { edits }: Corrections): string {
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
  if (value.length > MOST_TYPED)
    return (
      <bdi className={isWrong ? 'cell wrong' : 'cell'} title={label}>
        {value.slice(0, LONGEST)}…
      </bdi>
    );
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
