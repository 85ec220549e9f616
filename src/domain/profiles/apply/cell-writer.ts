/** What writes the cell of a column from its bytes. */

/**
 * Writes a cell that is not empty.
 * @param limit the end of the room for it
 * @returns the end of what it has written; LEFT_TO_TEXTS if the cell has to be made of its text
 */
export type WriteCell = (
  source: Buffer,
  start: number,
  end: number,
  target: Buffer,
  at: number,
  limit: number,
) => number;

export const LEFT_TO_TEXTS = -1;
