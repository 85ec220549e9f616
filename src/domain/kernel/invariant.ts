/** What has to hold whatever comes in. Where it does not, a step fails before it commits: it never writes what is wrong. */

/** A fault of our own. The step that finds it is rolled back, tried again, and at last ends its job as FAILED. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/**
 * Asserts what has to hold. Meant for once a chunk, a step or a batch, not for each row.
 * @param owner what the error names: `job 68f…`
 * @param violated says what does not hold; called only then
 * @throws InvariantViolation
 */
export function invariant(holds: boolean, owner: string, violated: () => string): void {
  if (!holds) throw new InvariantViolation(`${owner}: ${violated()}`);
}

/**
 * Whether a step's fencing token is still the one of its row. Tokens are enqueued once they are committed, and only rise: a
 * lower one was overtaken, and a higher one means that the row's fell.
 * @throws InvariantViolation
 */
export function isCurrentToken(owner: string, held: number, ofRow: number): boolean {
  invariant(held <= ofRow, owner, () => `its fencing token fell: a step holds ${held}, and the row has ${ofRow}`);
  return held === ofRow;
}
