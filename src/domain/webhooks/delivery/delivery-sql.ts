/** Conditions of statements that look deliveries up: said so that the planner has but one way, whatever it believes of the table. */

/**
 * Whether a delivery is PENDING, in other words: by "status = 'PENDING'" a plan could go through the index of all that
 * are, and with a backlog that takes longer than everything else.
 */
export const IS_PENDING = "delivery.status <> ALL ('{DELIVERED,DEAD,CANCELLED}')";

/**
 * Always true. Each half names the condition of one of the two unique indexes that begin with the event: with it the
 * deliveries of an event are found through both, without it through none.
 */
export const ANY_DESTINATION = '(delivery.callback_url IS NULL OR delivery.callback_url IS NOT NULL)';
