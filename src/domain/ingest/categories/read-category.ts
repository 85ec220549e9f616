/** Reads rows of categories, from files and from JSON. */
import type { CategoryColumns } from '../../catalog/categories/category-columns.js';
import { parseCategoryRow } from '../../catalog/categories/category-from-cells.js';
import type { CategoryInput } from '../../catalog/categories/category-input.js';
import { parseCategoryInput } from '../../catalog/categories/parse-category-input.js';
import type { RowProblem } from '../row-problem.js';
import type { CsvRow } from '../source/parse-csv-chunk.js';
import type { JsonRow } from '../source/parse-jsonl-chunk.js';

/** A row as it was read. */
export interface ReadCategory {
  readonly row: number;
  /** How the row calls its category; null: it does not. */
  readonly key: string | null;
  readonly outcome: CategoryInput | RowProblem[];
}

const KEY_FIELDS = ['path', 'name'] as const;

/** @param columns a file's; null: the input is JSON */
export function readCategory(row: CsvRow | JsonRow, columns: CategoryColumns | null): ReadCategory {
  if ('cells' in row) {
    if (columns === null) throw new Error('rows of a file cannot be read before its header');
    const key = row.cells[columns.indexOf('Category Path')]?.trim() || null;
    return { row: row.row, key, outcome: row.problem === null ? parseCategoryRow(columns, row.cells) : [row.problem] };
  }
  const outcome = row.problem === null ? parseCategoryInput(row.element) : [row.problem];
  return { row: row.row, key: keyOfElement(row.element), outcome };
}

function keyOfElement(element: unknown): string | null {
  if (typeof element !== 'object' || element === null) return null;
  const fields = element as Record<string, unknown>;
  const texts = KEY_FIELDS.map((field) => fields[field]).filter((value) => typeof value === 'string');
  return texts.map((text) => text.trim()).find((text) => text !== '') ?? null;
}
