/** The columns of category files, and a category as their cells. */

import type { CategoryTree } from '../../../../db/models/category.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { HeaderProblems } from '../../kernel/rejected-input.js';
import { quoted } from '../../kernel/value-problem.js';
import { cellOfText } from '../types/cell-text.js';
import { formatPath } from './category-path.js';

// The columns of category files: the template's header, and the meaning of an uploaded file's header.

export const CATEGORY_COLUMNS = ['Category Path', 'Type', 'Order', 'Active', 'Item Attributes'] as const;
export type CategoryColumn = (typeof CATEGORY_COLUMNS)[number];

/** The columns of a file by position; null for a column that is ignored. */
export type CategoryColumns = readonly (CategoryColumn | null)[];

const BY_KEY: ReadonlyMap<string, CategoryColumn> = new Map(
  CATEGORY_COLUMNS.map((column) => [attributeKey(column), column]),
);

/**
 * Names are compared trimmed, in NFC and ignoring case. Columns that begin with `_` are ignored.
 * @throws RejectedInput for an unknown or repeated column, and when there is no `Category Path`
 */
export function resolveCategoryHeader(cells: readonly string[]): CategoryColumns {
  const problems = new HeaderProblems();
  const columns = cells.map((cell, index) => resolveColumn(cell, index, problems));
  columns.forEach((column, index) => {
    const first = column === null ? index : columns.indexOf(column);
    if (first === index) return;
    const message = `columns ${first + 1} and ${index + 1} are both "${column}": remove one of them`;
    problems.add('DUPLICATE_COLUMN', message, String(column));
  });
  if (!columns.includes('Category Path')) {
    const message = 'the file has no column "Category Path", which identifies the categories: add it';
    problems.add('MISSING_COLUMN', message, 'Category Path');
  }
  problems.throwIfAny();
  return columns;
}

function resolveColumn(cell: string, index: number, problems: HeaderProblems): CategoryColumn | null {
  const name = cell.trim();
  // A value in a column without a name fails its row.
  if (name === '' || name.startsWith('_')) return null;
  const column = BY_KEY.get(attributeKey(name).replace(/\s+/g, ' '));
  if (column !== undefined) return column;
  const nearest = nearestName(name, CATEGORY_COLUMNS, (known) => known);
  const hint = nearest === undefined ? 'begin its name with "_" to have it ignored' : `did you mean "${nearest}"?`;
  const message = `column ${index + 1}, ${quoted(name)}, is not a column of category files: ${hint}`;
  problems.add('UNKNOWN_COLUMN', message, name);
  return null;
}

// The `Item Attributes` cell: `Title!;Colour`. `!` marks a mandatory attribute; `\` makes a `;`, `!` or `\` part of a
// name.

export interface CellAssignment {
  readonly name: string;
  readonly mandatory: boolean;
}

const SPECIAL = new Set([';', '!', '\\']);

/** The attributes in order; names are trimmed, empty parts are ignored. */
export function itemAttributesFromText(text: string): CellAssignment[] {
  const assignments: CellAssignment[] = [];
  let name = '';
  let mandatory = false;
  const end = (): void => {
    if (name.trim() !== '') assignments.push({ name: name.trim(), mandatory });
    name = '';
    mandatory = false;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === ';') {
      end();
    } else if (character === '!' && isLastOfPart(text, at)) {
      mandatory = true;
    } else if (character === '\\' && SPECIAL.has(text[at + 1] ?? '')) {
      name += text[++at];
    } else {
      name += character;
    }
  }
  end();
  return assignments;
}

/**
 * The cell that itemAttributesFromText reads back as the same assignments.
 * @internal exported for tests
 */
export function itemAttributesToText(assignments: readonly CellAssignment[]): string {
  return assignments
    .map(({ name, mandatory }) => {
      const escaped = name.replace(/[;\\]|!$/g, '\\$&');
      return mandatory ? `${escaped}!` : escaped;
    })
    .join(';');
}

function isLastOfPart(text: string, at: number): boolean {
  const rest = text.slice(at + 1, at + 1 + MAX_BLANKS);
  return /^\s*(;|$)/.test(rest);
}

/** How many blanks may follow a `!`: enough for aligned columns. */
const MAX_BLANKS = 64;

// Writes a category as a row of a category file, or as an element of a bulk request.

/** All that an import can set of a category. */
export interface WrittenCategory {
  /** The names from the root of its tree down: `['PRIMARY', 'Storage', 'Disk']`. */
  readonly lineage: readonly string[];
  readonly tree: CategoryTree;
  readonly order: number;
  readonly active: boolean;
  /** The attributes that the category assigns itself, in order. */
  readonly attributes: readonly CellAssignment[];
}

/** The cells in the order of CATEGORY_COLUMNS. An upsert with them changes nothing. */
export function categoryToCells({ lineage, tree, order, active, attributes }: WrittenCategory): string[] {
  // `NULL` removes all attributes; an empty cell would leave them as they are.
  const assigned = attributes.length === 0 ? 'NULL' : cellOfText(itemAttributesToText(attributes));
  return [formatPath(lineage), tree, String(order), active ? 'TRUE' : 'FALSE', tree === 'PRIMARY' ? assigned : ''];
}

/** The category as an element of …/category/bulk/upsert and of JSON files. */
export function categoryToElement({ lineage, tree, order, active, attributes }: WrittenCategory): object {
  const element = { path: formatPath(lineage), type: tree, order, active };
  return tree === 'PRIMARY' ? { ...element, itemAttributes: attributes } : element;
}
