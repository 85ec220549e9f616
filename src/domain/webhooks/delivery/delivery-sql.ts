/**
 * Conditions for looking deliveries up, written so that Postgres chooses the right index whatever its statistics say.
 */

/**
 * Whether a delivery is PENDING. With "status = 'PENDING'" a plan could scan the index of all pending deliveries, which
 * takes very long when there is a backlog.
 */
export const IS_PENDING = "delivery.status <> ALL ('{DELIVERED,DEAD,CANCELLED}')";

/**
 * Always true. Each half repeats the condition of one of the two partial unique indexes that begin with the event. With
 * it Postgres can use both indexes to find the deliveries of an event, and without it neither of them.
 */
export const ANY_DESTINATION = '(delivery.callback_url IS NULL OR delivery.callback_url IS NOT NULL)';
