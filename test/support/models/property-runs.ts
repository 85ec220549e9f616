/** How many trials a property test has: a share of those that test/long/properties.test.ts makes of the same property. */

const SHORT_SHARE = 0.3;
let share = SHORT_SHARE;

/** Before the suites are loaded that are to be tried at length. */
export function tryAtLength(): void {
  share = 3;
}

/** @param count as many as show most faults within a second or two */
export function runsOf(count: number): number {
  return Math.ceil(count * share);
}
