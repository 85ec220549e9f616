/** Deletes old rows in batches, so that no lock is held for long. */

/** Rows per statement. */
const BATCH = 1_000;
/** Statements per call: the next call continues. */
const MOST_STATEMENTS = 20;

/**
 * Repeats a statement until it finds less than a full batch, but only so often.
 * @param deleteBatch deletes at most `limit` rows and returns how many it deleted
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
