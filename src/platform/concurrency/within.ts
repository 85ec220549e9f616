/** Waits for a promise for a limited time. */

/** Whether a promise has settled within `ms`. The caller still has to handle its result or error. */
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
