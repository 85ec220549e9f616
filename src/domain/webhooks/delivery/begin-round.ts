/** What a replay sets of a delivery that has ended: it has the whole schedule again, and keeps counting its attempts. */

/** To be used in an UPDATE of `delivery`. */
export const BEGIN_ROUND = `status = 'PENDING', lane = 'again', round_start = delivery.attempts, next_attempt_at = now(),
  dispatch = delivery.dispatch + 1, dispatched_at = now(), completed_at = NULL`;
