/** Reads a row of a category file. */
import type { CategoryTree } from '../../../../db/models/category.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted, ValueProblem } from '../../kernel/value-problem.js';
import { booleanFromText } from '../types/boolean.js';
import { textOfCell } from '../types/cell-text.js';
import { integerFromText } from '../types/integer.js';
import type { CategoryColumn, CategoryColumns } from './category-columns.js';
import type { CategoryInput, GivenAssignment } from './category-input.js';
import { itemAttributesFromText } from './item-attributes-cell.js';
import { placeOfPath } from './place-of-path.js';

const MAX_ORDER = 2_147_483_647;
/** How many lists of attributes are cached: most rows of a file repeat a few. */
const CACHED_LISTS = 1_000;

/**
 * Returns a reader for the rows of one file. The reader returns the row as an input, or all its problems. An empty cell
 * leaves a field as it is, `NULL` sets its default; the path is a key, in which only arrows are escaped.
 */
export function categoryRowReader(
  columns: CategoryColumns,
): (cells: readonly string[]) => CategoryInput | RowProblem[] {
  const lists = new Map<string, GivenAssignment[]>();
  const listOf = (text: string): GivenAssignment[] => {
    const known = lists.get(text);
    if (known !== undefined) return known;
    const list = assignmentsFromText(text);
    if (lists.size < CACHED_LISTS) lists.set(text, list);
    return list;
  };
  return (cells) => parseRow(columns, cells, listOf);
}

function parseRow(
  columns: CategoryColumns,
  cells: readonly string[],
  listOf: (text: string) => GivenAssignment[],
): CategoryInput | RowProblem[] {
  const problems: RowProblem[] = [];
  const cell = (column: CategoryColumn): string => cells[columns.indexOf(column)] ?? '';
  /** Undefined when the cell is empty or invalid. */
  const read = <T>(column: CategoryColumn, standard: T, parse: (text: string) => T | undefined, expected: string) => {
    const text = cell(column).trim() === '' ? undefined : textOfCell(cell(column).trim());
    if (text === undefined) return undefined;
    if (text === null) return standard;
    const value = parse(text);
    if (value === undefined) {
      problems.push(new ValueProblem('FIELD_INVALID', `${column}: ${quoted(text)} ${expected}`, text).at(column));
    }
    return value;
  };
  const tree = read('Type', 'PRIMARY', treeFromText, 'is neither PRIMARY nor ALTERNATE') ?? 'PRIMARY';
  const order = read('Order', 0, orderFromText, `is not a whole number from ${-MAX_ORDER - 1} to ${MAX_ORDER}`);
  const active = read('Active', true, booleanFromText, 'is neither true nor false');
  const attributes = read('Item Attributes', NO_ASSIGNMENTS, listOf, 'is not a list of attributes');
  const place = placeOf(cell('Category Path'), tree);
  if ('code' in place) return [place, ...problems];
  if (problems.some(({ column }) => column === TYPE)) return problems;
  return problems.length > 0 ? { place, order, active, attributes, problems } : { place, order, active, attributes };
}

const NO_ASSIGNMENTS: GivenAssignment[] = [];
/** It says which tree a path is in. */
const TYPE: CategoryColumn = 'Type';

function placeOf(path: string, tree: CategoryTree): ReturnType<typeof placeOfPath> {
  if (path.trim() !== '') return placeOfPath(path, tree, 'Category Path');
  const message = 'the row names no category: write its path, such as Storage->Disk';
  return { code: 'NAME_REQUIRED', column: 'Category Path', message };
}

function treeFromText(text: string): CategoryTree | undefined {
  const tree = text.toUpperCase();
  return tree === 'PRIMARY' || tree === 'ALTERNATE' ? tree : undefined;
}

function orderFromText(text: string): number | undefined {
  const order = integerFromText(text);
  return order !== null && order >= -MAX_ORDER - 1 && order <= MAX_ORDER ? order : undefined;
}

function assignmentsFromText(text: string): GivenAssignment[] {
  return itemAttributesFromText(text).map(({ name, mandatory }) => ({ attribute: { name }, mandatory }));
}
