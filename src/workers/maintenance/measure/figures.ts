/** The figures of the system that are published. */
import type { measureQuotas } from '../../../domain/access/quota-use.js';
import type { SystemFigures } from '../../../platform/metrics/system-figures.js';
import type { QueueGroup } from '../../../queues/define-queue.js';
import type { WorkerServices } from '../../context.js';
import { LIMITS } from '../wanted-workers.js';
import type { CountedWork } from './count-work.js';
import { GROUPS, type GroupScale } from './group-scale.js';
import { DELIVERY } from './units.js';

type Depths = Awaited<ReturnType<WorkerServices['producer']['depths']>>;

export function figuresOf(
  scale: Readonly<Record<string, GroupScale>>,
  { open, openBreakers, feeds, connections, connectionLimit }: CountedWork,
  depths: Depths,
  waits: ReadonlyMap<QueueGroup, number>,
  secondsPerUnit: ReadonlyMap<string, number>,
  quotas: Awaited<ReturnType<typeof measureQuotas>>,
): SystemFigures {
  const groups = Object.entries(scale);
  const ofGroups = (value: (of: GroupScale) => number) =>
    groups.map(([group, of]) => ({ labels: { group }, value: value(of) }));
  const states = ['waiting', 'active', 'delayed'] as const;
  return {
    longshore_queue_jobs: depths.flatMap((of) =>
      states.map((state) => ({ labels: { queue: of.queue, state }, value: of[state] })),
    ),
    longshore_oldest_step_seconds: GROUPS.map((group) => ({
      labels: { group },
      value: Math.max(0, waits.get(group) ?? 0) / 1000,
    })),
    longshore_due_slot_seconds: ofGroups(({ due }) => due),
    longshore_arrival_slots: ofGroups(({ arrival }) => arrival),
    longshore_busy_slots: ofGroups(({ busy }) => busy),
    longshore_seconds_per_unit: [...secondsPerUnit].map(([unit, value]) => ({ labels: { unit }, value })),
    longshore_workers: ofGroups(({ workers }) => workers),
    longshore_workers_wanted: ofGroups(({ wanted }) => wanted),
    longshore_workers_limited: groups.flatMap(([group, { limitedBy }]) =>
      LIMITS.map((by) => ({ labels: { group, by }, value: limitedBy === by ? 1 : 0 })),
    ),
    longshore_open_breakers: [{ labels: {}, value: openBreakers }],
    longshore_due_deliveries: [{ labels: {}, value: open.get(DELIVERY) ?? 0 }],
    longshore_feeds: Object.entries(feeds).map(([condition, value]) => ({ labels: { condition }, value })),
    longshore_quota_limit: quotas.map(({ accountId, quota, limit }) => ({
      labels: { account: accountId, quota },
      value: limit,
    })),
    longshore_quota_used: quotas.map(({ accountId, quota, used }) => ({
      labels: { account: accountId, quota },
      value: used,
    })),
    longshore_database_connections: [
      { labels: { state: 'used' }, value: connections },
      { labels: { state: 'limit' }, value: connectionLimit },
    ],
  };
}
