/** The units of work: a type of rows, an export, or a delivery. */
import type { Done, WorkDone } from '../../../platform/metrics/work-done.js';
import type { QueueGroup } from '../../../queues/define-queue.js';

export const EXPORT = 'export';
export const DELIVERY = 'delivery';

export function unitsOf({ rows, exports, deliveries }: WorkDone): ReadonlyMap<string, Done> {
  return new Map([...Object.entries(rows), [EXPORT, exports], [DELIVERY, deliveries]]);
}

export function groupOf(unit: string): QueueGroup {
  return unit === EXPORT ? 'export' : unit === DELIVERY ? 'webhook' : 'bulk';
}
