/** Deletes what is no longer needed a batch a statement, so that no lock is held for long. */

/** Rows a statement. */
const BATCH = 1_000;
/** Statements a call: what is left is for the next one. */
const MOST_STATEMENTS = 20;

/**
 * Repeats a statement until it finds less than a whole batch, or has been repeated often enough.
 * @param deleteBatch deletes at most so many rows and answers how many it did
 * @returns how many rows were deleted
 */
export async function inBatches(deleteBatch: (limit: number) => Promise<number>, batch = BATCH): Promise<number> {
  let deleted = 0;
  for (let statement = 0; statement < MOST_STATEMENTS; statement++) {
    const found = await deleteBatch(batch);
    deleted += found;
    if (found < batch) break;
  }
  return deleted;
}
