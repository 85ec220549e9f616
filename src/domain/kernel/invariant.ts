/** Invariants: conditions that hold for every input. A step that violates one fails before it commits. */

/** An internal error. The step that finds it is rolled back and retried; after its last attempt the job is FAILED. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/**
 * Asserts an invariant. Use it once per chunk, step or batch, not for each row.
 * @param owner what the error names: `job 68f…`
 * @param violated returns what is violated; called only then
 * @throws InvariantViolation
 */
export function invariant(holds: boolean, owner: string, violated: () => string): void {
  if (!holds) throw new InvariantViolation(`${owner}: ${violated()}`);
}

/**
 * Whether a step's fencing token is still that of its row. Tokens are enqueued after they are committed, and only
 * increase: a lower token was replaced, and a higher one means that the token of the row has decreased.
 * @throws InvariantViolation
 */
export function isCurrentToken(owner: string, heldToken: number, rowToken: number): boolean {
  invariant(
    heldToken <= rowToken,
    owner,
    () => `its fencing token has decreased: a step has ${heldToken}, and the row has ${rowToken}`,
  );
  return heldToken === rowToken;
}
