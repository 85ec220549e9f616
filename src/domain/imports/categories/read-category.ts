/** Reads rows of categories, from files and from JSON. */
import type { CategoryColumns } from '../../catalog/categories/category-columns.js';
import type { CategoryInput } from '../../catalog/categories/category-input.js';
import { categoryRowReader } from '../../catalog/categories/category-row.js';
import { parseCategoryInput } from '../../catalog/categories/parse-category-input.js';
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/json-rows.js';
import type { RowProblem } from '../../kernel/row-problem.js';

/** A row as it was read. */
export interface ReadCategory {
  readonly row: number;
  /** How the row names its category; null when it does not. */
  readonly key: string | null;
  readonly outcome: CategoryInput | RowProblem[];
}

const KEY_FIELDS = ['path', 'name'] as const;

/** Creates a reader for the rows of one input. @param columns the columns of a file; null for JSON */
export function categoryReader(columns: CategoryColumns | null): (row: CsvRow | JsonRow) => ReadCategory {
  const readCells = columns === null ? null : categoryRowReader(columns);
  const pathColumn = columns?.indexOf('Category Path') ?? -1;
  return (given) => {
    const { row, problem } = given;
    if (!('cells' in given)) {
      const outcome = problem === null ? parseCategoryInput(given.element) : [problem];
      return { row, key: keyOfElement(given.element), outcome };
    }
    if (readCells === null) throw new Error('rows of a file cannot be read before its header');
    const key = given.cells[pathColumn]?.trim() || null;
    return { row, key, outcome: problem === null ? readCells(given.cells) : [problem] };
  };
}

function keyOfElement(element: unknown): string | null {
  if (typeof element !== 'object' || element === null) return null;
  const fields = element as Record<string, unknown>;
  const texts = KEY_FIELDS.map((field) => fields[field]).filter((value) => typeof value === 'string');
  return texts.map((text) => text.trim()).find((text) => text !== '') ?? null;
}
