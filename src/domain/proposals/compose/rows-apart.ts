/**
 * Rows of a file that describe nothing, such as titles of sections and subtotals. A proposal leaves out those without a key,
 * which would fail, and says so. It asks about others: by the same condition, next week's file may lose items.
 */
import { counted } from '../../inspection/columns/sentences.js';
import type { Column } from '../../inspection/model/column.js';
import type { ApartRows } from '../../inspection/model/inspection.js';
import { quoted } from '../../kernel/value-problem.js';
import type { RowFilter } from '../../profiles/model/row-filter.js';
import { canDoDamage, conceptOf } from '../match/name-keys.js';
import type { Draft } from './draft.js';

interface RowsApart {
  readonly skipRowsWhen: RowFilter[];
  /** What is said of them. */
  readonly text: string;
}

/** @param key the index of the column that identifies the rows; null: there is none yet */
export function rowsApart(draft: Draft, key: number | null): RowsApart {
  const { apart, columns } = draft.inspection;
  const skipRowsWhen: RowFilter[] = [];
  const texts: string[] = [];
  const name = key === null ? undefined : columns[key]?.name;
  const [first] = apart?.examples ?? [];
  if (apart !== undefined && first !== undefined) {
    const isKey = key !== null && apart.emptyColumns.includes(key) && !draft.questions.some(isAboutKey);
    if (isKey && name !== undefined) {
      skipRowsWhen.push({ column: name, is: 'empty' });
      const many = apart.count === 1 ? 'is left out: it is a title or a sum' : 'are left out: they are titles or sums';
      texts.push(
        `${counted(apart.count, 'row')} without ${quoted(name)} ${many}, such as ${quoted(first.value)} in row ${first.row}.`,
      );
    } else askForRows(draft, apart, key);
  }
  if (apart?.headers != null && name !== undefined) {
    const { row, count } = apart.headers;
    skipRowsWhen.push({ column: name, is: { equals: [name] } });
    texts.push(
      `${counted(count, 'row')} with the header once more, the first in row ${row}, ${count === 1 ? 'is' : 'are'} left out.`,
    );
  }
  return { skipRowsWhen, text: texts.join(' ') };
}

function isAboutKey({ about }: Draft['questions'][number]): boolean {
  return about === 'key';
}

/** Asks whether rows are left out that have a key, or may have one. */
function askForRows(draft: Draft, { count, examples, emptyColumns }: ApartRows, key: number | null): void {
  const { columns } = draft.inspection;
  const empty = emptyColumns.flatMap((index) => (index === key ? [] : (columns[index] ?? [])));
  const column = empty.find(isSteady) ?? empty[0];
  const [first] = examples;
  if (column === undefined || first === undefined) return;
  const cell = { row: first.row, example: first.value };
  const [what, those] = count === 1 ? ['a title or a sum', 'it'] : ['titles or sums', 'them'];
  draft.questions.push({
    about: 'rows',
    column: column.name,
    question: `${counted(count, 'row')} without ${quoted(column.name)} may be ${what}, such as ${quoted(first.value)} in row ${first.row}. What becomes of ${those}?`,
    readings: [
      {
        value: 'leaveOut',
        label: `rows without ${quoted(column.name)} are left out, those of later files too`,
        ...cell,
        skipRowsWhen: [{ column: column.name, is: 'empty' }],
      },
      { value: 'import', label: 'rows like these are imported as all others are', ...cell },
    ],
  });
  const line = draft.planned.get(column.index)?.line;
  if (line !== undefined) line.verdict = 'ambiguous';
}

/** Whether a column is likely to be filled in later files as well: items lose their price or stock, and not their name. */
function isSteady({ name, locale }: Column): boolean {
  return !canDoDamage(name, conceptOf(name, locale));
}
