/** Waits for something, but not for ever. */

/** Whether a promise has settled within `ms`. What it settles to, or fails with, is its maker's to handle. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([settled, timeout]);
  clearTimeout(timer);
  return inTime;
}
