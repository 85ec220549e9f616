/** Rows of a file that describe nothing, such as titles of sections and subtotals: a proposal leaves them out, and says so. */
import { counted } from '../../inspection/columns/sentences.js';
import { quoted } from '../../kernel/value-problem.js';
import type { RowFilter } from '../../profiles/model/row-filter.js';
import type { Draft } from './draft.js';

interface RowsApart {
  readonly skipRowsWhen: RowFilter[];
  /** What is said of them. */
  readonly text: string;
}

/** @param key the index of the column that identifies the rows; null: there is none yet */
export function rowsApart({ inspection: { apart, columns } }: Draft, key: number | null): RowsApart {
  const skipRowsWhen: RowFilter[] = [];
  const texts: string[] = [];
  // The key itself may be what a title stands in.
  const empty = apart?.emptyColumns.find((index) => index !== key) ?? apart?.emptyColumns[0];
  const column = empty === undefined ? undefined : columns[empty];
  const [first] = apart?.examples ?? [];
  if (apart !== undefined && column !== undefined && first !== undefined) {
    skipRowsWhen.push({ column: column.name, is: 'empty' });
    const many = apart.count === 1 ? 'is left out: it is a title or a sum' : 'are left out: they are titles or sums';
    texts.push(
      `${counted(apart.count, 'row')} without ${quoted(column.name)} ${many}, such as ${quoted(first.value)} in row ${first.row}.`,
    );
  }
  const name = key === null ? undefined : columns[key]?.name;
  if (apart?.headers != null && name !== undefined) {
    const { row, count } = apart.headers;
    skipRowsWhen.push({ column: name, is: { equals: [name] } });
    texts.push(
      `${counted(count, 'row')} with the header once more, the first in row ${row}, ${count === 1 ? 'is' : 'are'} left out.`,
    );
  }
  return { skipRowsWhen, text: texts.join(' ') };
}
