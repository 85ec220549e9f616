/** The limits that keep a hostile or broken nested source from costing more than it should. */
import { RejectedInput } from '../../model/rejected-input.js';

/** How deep elements, arrays and objects may nest. */
export const MAX_DEPTH = 100;
export const MAX_COLUMNS = 10_000;
/** What is known of the paths of a source while it is read: some ten megabytes. */
export const MAX_NODES = 100_000;
/** The longest name of an element, attribute or member. */
export const MAX_NAME_CHARACTERS = 500;

export function tooDeep(where: string): RejectedInput {
  return new RejectedInput(
    'TOO_DEEP',
    `${where} nests deeper than ${MAX_DEPTH} levels, which no catalog needs. Export the data in a simpler form.`,
  );
}

export function tooManyPaths(): RejectedInput {
  return new RejectedInput(
    'TOO_MANY_COLUMNS',
    `The rows have more than ${MAX_COLUMNS} different paths of values. Name the columns that you need in a profile with "unknownColumns": "ignore", or name other rows.`,
  );
}

/** @param where such as `Row 3` */
export function textTooLong(where: string, maxBytes: number, row: number): RejectedInput {
  return new RejectedInput(
    'CELL_TOO_LONG',
    `${where} holds a text of more than ${maxBytes} bytes. Shorten it.`,
    row > 0 ? { row } : {},
  );
}
