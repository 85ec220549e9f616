/**
 * Works through a list with a fixed number of items in hand.
 * @param giveUpAt begins no further item from this instant (as `performance.now()` has it) on
 */
export async function inLanes<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T, index: number) => Promise<void>,
  giveUpAt = Number.POSITIVE_INFINITY,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length && performance.now() < giveUpAt) {
      const index = next++;
      await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
