/** What an error file adds to a failed row, and an export of what has changed to each. */

/** The column by which an import finds the job that made an error file. */
export const JOB_COLUMN = '_job';

/** Those of an earlier error file are replaced; other columns that begin with `_` are the user's own, and are kept. */
const ADDED_COLUMNS: readonly string[] = ['_row', '_column', '_code', '_message', JOB_COLUMN, '_extra', '_raw'];

/** Whether error files add a column, or a member of an element, of this name. */
export function isAddedColumn(name: string): boolean {
  return ADDED_COLUMNS.includes(name.trim().toLowerCase());
}

/** The column of exports of what has changed: what became of a record since. */
export const OPERATION_COLUMN = '_operation';

/** An element without what an error file or an export of what has changed has added to it. */
export function withoutAddedFields(element: object): object {
  return Object.fromEntries(
    Object.entries(element).filter(([name]) => !isAddedColumn(name) && name !== OPERATION_COLUMN),
  );
}
