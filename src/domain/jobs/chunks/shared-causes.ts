/** Codes with which many columns fail for one reason, which the summary of a job's errors says once. */
import type { RowCode } from '../../kernel/row-problem.js';

const MAX_NAMES = 10;

/** What the summary says of all columns that failed with a code. */
export const SHARED_CAUSES: Readonly<Partial<Record<RowCode, (columns: readonly string[]) => string>>> = {
  ATTRIBUTE_NOT_ASSIGNED: (columns) =>
    `${columns.length} attributes are not assigned to the category of their row (${shownNames(columns)}): name them in the column "Item Attributes" of a file of categories (CATEGORY_IMPORT), or leave the values out`,
};

function shownNames(columns: readonly string[]): string {
  const more = columns.length - MAX_NAMES;
  const names = columns.slice(0, MAX_NAMES).map((name) => `"${name}"`);
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
