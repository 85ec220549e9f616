/** Audits events: each accepted one reached every definition or is a dead letter, and twice only around a fault. */
import { type Audited, select } from './audited.js';
import { judgeRepetitions } from './excuses.js';

const MOST_NAMED = 5;

export async function auditDeliveries(audited: Audited): Promise<string[]> {
  const {
    cluster: { db },
    lanes,
    receiver,
  } = audited;
  const violations: string[] = [];
  const known = new Set((await select(db, 'SELECT id FROM event')).map(({ id }): string => id));
  const lost = lanes.flatMap(({ events }) => events).filter((id) => !known.has(id));
  if (lost.length > 0)
    violations.push(`${lost.length} events were accepted and are not there: ${lost.slice(0, MOST_NAMED)}`);
  const missing = await select(
    db,
    `SELECT event.id, event.event FROM event JOIN webhook_definition AS definition
       ON definition.site_id = event.site_id AND definition.source = event.source
     WHERE event.triggered_at > definition.created_at
       AND NOT EXISTS (SELECT FROM delivery WHERE delivery.event_id = event.id AND definition_id = definition.id)`,
  );
  if (missing.length > 0)
    violations.push(`${missing.length} events were not delivered to a definition: ${names(missing)}`);
  const deliveries = await select(
    db,
    `SELECT delivery.id, event_id, delivery.status, delivery.attempts, target,
            (SELECT count(*)::integer FROM delivery_attempt WHERE delivery_id = delivery.id) AS recorded
     FROM delivery JOIN webhook_definition AS definition ON definition.id = definition_id`,
  );
  const delivered = new Set<string>();
  for (const { id, event_id: event, status, target, attempts, recorded } of deliveries) {
    const key = `${new URL(target).pathname} ${event}`;
    const accepted = receiver.accepted.has(key);
    if (accepted) delivered.add(key);
    if (status === 'DELIVERED' && !accepted)
      violations.push(`delivery ${id} is DELIVERED, and ${target} did not accept it`);
    if (status !== 'DELIVERED' && accepted)
      violations.push(`delivery ${id} is ${status}, and ${target} has accepted it`);
    if (status !== 'DELIVERED' && status !== 'DEAD') violations.push(`delivery ${id} is ${status}`);
    // A request that was in flight when another one was accepted is recorded, and not counted any more.
    if (recorded < attempts) violations.push(`delivery ${id} has ${attempts} attempts, and ${recorded} are recorded`);
  }
  for (const key of receiver.accepted.keys()) {
    if (!delivered.has(key)) violations.push(`"${key}" was received, and there is no such delivery`);
  }
  return [...violations.slice(0, 10 * MOST_NAMED), ...repetitions(audited)];
}

function repetitions({ receiver, windows }: Audited): string[] {
  const { unexcused } = judgeRepetitions(receiver.accepted, windows);
  if (unexcused.length === 0) return [];
  const some = unexcused.slice(0, MOST_NAMED).map((key) => `${key} at ${receiver.accepted.get(key)?.at.join(' and ')}`);
  return [`${unexcused.length} requests were accepted again although no fault can have caused it: ${some.join(', ')}`];
}

function names(rows: readonly { readonly id: string; readonly event: string }[]): string {
  return rows
    .slice(0, MOST_NAMED)
    .map(({ id, event }) => `${event} ${id}`)
    .join(', ');
}
