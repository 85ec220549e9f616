/** A table that can be read: numbers at the right with figures of one width, a caption for those who hear it. */
import type { ReactNode } from 'react';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('table', {
  // The section around a table often has the name of the table.
  region: { en: 'Table: {caption}', de: 'Tabelle: {caption}' },
});

export interface Column<R> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: R) => ReactNode;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** Names its row. */
  readonly isHeader?: boolean;
  /** Left out where there is little room. */
  readonly isMinor?: boolean;
}

interface DataTableProps<R> {
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string | number;
  readonly isDense?: boolean;
}

export function DataTable<R>({ caption, columns, rows, keyOf, isDense = false }: DataTableProps<R>) {
  const t = useText();
  return (
    // A table that is wider than the page is scrolled, also with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="table-scroll" aria-label={t('region', { caption })} tabIndex={0}>
      <table className={isDense ? 'table listed dense' : 'table listed'}>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) =>
                column.isHeader === true ? (
                  <th key={column.id} scope="row" className={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.id} className={classOf(column)} data-title={column.title}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function classOf<R>({ isNumber, isMinor }: Column<R>): string {
  return [isNumber === true ? 'number' : '', isMinor === true ? 'minor' : ''].filter((one) => one !== '').join(' ');
}
