/**
 * Parts of statements about deliveries. Conditions for looking them up are written so that Postgres chooses the right
 * index whatever its statistics say.
 */

/**
 * Whether a delivery is PENDING. With "status = 'PENDING'" a plan could scan the index of all pending deliveries, which
 * takes very long when there is a backlog.
 */
export const IS_PENDING = "delivery.status <> ALL ('{DELIVERED,DEAD,CANCELLED}')";

/**
 * SQL: whether a definition gets events: it is active, or disabled and still collects them. The first condition is that
 * of webhook_definition_receives_ix.
 * @param definition an alias
 */
export function receives(definition: string): string {
  return `(${definition}.status = 'ACTIVE' OR ${definition}.collects_until IS NOT NULL)
    AND (${definition}.status = 'ACTIVE' OR ${definition}.collects_until > now())`;
}

/**
 * SQL: whether a delivery is collected for a disabled definition. It is PENDING, and due in a thousand years: so it is
 * never overdue, keeps its place in the order of its key, and whatever makes waiting deliveries due makes this one due.
 * @param delivery an alias
 */
export function isCollected(delivery: string): string {
  return `${delivery}.next_attempt_at > now() + interval '500 years'`;
}

/** SQL for the time at which a collected delivery is due. Those that were created first are due first. */
export function collectedAt(createdAt: string): string {
  return `${createdAt} + interval '1000 years'`;
}

/**
 * SQL for the next_attempt_at, dispatched_at and dispatch of a new delivery. What is collected has left its batch.
 * @param definition an alias with `status`
 */
export function dueOf(definition: string): string {
  const at = `CASE WHEN ${definition}.status = 'ACTIVE' THEN now() ELSE ${collectedAt('now()')} END`;
  return `${at}, ${at}, CASE WHEN ${definition}.status = 'ACTIVE' THEN ${FIRST_DISPATCH} ELSE ${FIRST_DISPATCH} + 1 END`;
}

/** The fencing token of the first attempt in a batch. */
export const FIRST_DISPATCH = 1;

/**
 * Always true. Each half repeats the condition of one of the two partial unique indexes that begin with the event. With
 * it Postgres can use both indexes to find the deliveries of an event, and without it neither of them.
 */
export const ANY_DESTINATION = '(delivery.callback_url IS NULL OR delivery.callback_url IS NOT NULL)';

/** SQL for the key of an event: its order number, or else its document; null: it has none. @param event an alias */
export function orderKeyOf(event: string): string {
  return `coalesce('order ' || ${event}.order_number, 'document ' || ${event}.document)`;
}

/**
 * SQL for the order_key and the order_no of a delivery. Both are null unless the definition wants an order.
 * @param definition an alias with `ordering`
 * @param event an alias with `order_number`, `document` and `order_no`
 */
export function orderOf(definition: string, event: string): string {
  const isOrdered = `${definition}.ordering = 'key' AND ${event}.order_no IS NOT NULL`;
  return `CASE WHEN ${isOrdered} THEN ${orderKeyOf(event)} END,
    CASE WHEN ${isOrdered} AND ${orderKeyOf(event)} IS NOT NULL THEN ${event}.order_no END`;
}

/**
 * SQL: whether a filter lets a payload pass. A payload that cannot be compared, because of a number with more than
 * 100,000 digits, passes every filter: an event too many is better than one that is lost.
 * @param filter an expression, the text of a filter or null
 * @param payload an expression of webhook_payload, evaluated only where there is a filter
 */
export function passes(filter: string, payload: string): string {
  return `CASE WHEN ${filter} IS NULL THEN true ELSE webhook_filter_matches(${payload}, ${filter}::jsonb) END`;
}
