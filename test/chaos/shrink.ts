/** Makes the story of a failing run shorter: runs it again with fewer faults and lanes, as long as it still fails. */

export interface Shrinkable<Fault, Lane> {
  readonly faults: readonly Fault[];
  readonly lanes: readonly Lane[];
}

/**
 * Leaves out lanes, then halves, quarters and single faults. A run is not the same each time, so what is found fails
 * often and not always; a smaller one that passed by chance is passed over.
 * @param fails whether a run with these faults and lanes fails
 * @param endsAt no further run begins after this time, in milliseconds since 1970
 * @returns the smallest one that was seen to fail
 */
export async function shrink<Fault, Lane>(
  failing: Shrinkable<Fault, Lane>,
  fails: (smaller: Shrinkable<Fault, Lane>) => Promise<boolean>,
  endsAt: number,
): Promise<Shrinkable<Fault, Lane>> {
  let smallest = failing;
  const attempt = async (smaller: Shrinkable<Fault, Lane>): Promise<boolean> => {
    if (Date.now() >= endsAt || !(await fails(smaller))) return false;
    smallest = smaller;
    return true;
  };
  for (const lane of failing.lanes) {
    if (smallest.lanes.length > 1) {
      await attempt({ ...smallest, lanes: smallest.lanes.filter((one) => one !== lane) });
    }
  }
  for (let size = Math.ceil(smallest.faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < smallest.faults.length; ) {
      const without = smallest.faults.toSpliced(from, size);
      // What was left out moves the next ones here.
      if (!(await attempt({ ...smallest, faults: without }))) from += size;
    }
  }
  return smallest;
}
