/** Permits that are returned before what they were for has ended. */
import type { Permit } from './permits.js';

/**
 * Lets callers return their permits before they end, so many of them at a time. Further ones keep theirs until one of those
 * has ended, the one that has waited longest first, or until they end themselves.
 * @param most how many callers may be without a permit, at least 1
 * @returns begins the part of a caller's work that needs no permit, and takes over the permit. Call what it returns, once,
 * when that part has ended
 */
export function createEarlyReturns(most: number): (permit: Permit) => () => void {
  let early = 0;
  const kept = new Set<{ readonly permit: Permit }>();
  return (permit) => {
    // Callers may share a permit object.
    const one = { permit };
    if (early < most) {
      early++;
      permit.leave();
    } else kept.add(one);
    return () => {
      if (kept.delete(one)) {
        permit.leave();
        return;
      }
      const [next] = kept;
      if (next === undefined) {
        early--;
        return;
      }
      kept.delete(next);
      next.permit.leave();
    };
  };
}
