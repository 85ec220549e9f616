/** The figures of the system as a whole, which one process measures. */
import { Gauge, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';

/** A figure of the system, by the values of its labels. */
export type SystemFigures = Readonly<
  Record<
    keyof typeof SYSTEM_METRICS,
    readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
  >
>;

/** The metrics of the system: what they mean, and their labels. */
const SYSTEM_METRICS = {
  longshore_queue_jobs: ['Jobs of each queue by state; on Postgres at most 5,000 are counted', ['queue', 'state']],
  longshore_oldest_step_seconds: ['How long the oldest due step of each group has waited', ['group']],
  longshore_due_slot_seconds: ['The work that waits or runs, in seconds of worker slots', ['group']],
  longshore_arrival_slots: ['Work that arrives, in seconds of worker slots each second', ['group']],
  longshore_busy_slots: ['Worker slots that are busy on average', ['group']],
  longshore_seconds_per_unit: ['Measured seconds of a worker slot per row of a type, export or delivery', ['unit']],
  longshore_workers: ['Living processes that serve the group', ['group']],
  longshore_workers_wanted: ['Processes that the group should have', ['group']],
  longshore_workers_limited: ['1: why the group should not have more processes than wanted', ['group', 'by']],
  longshore_open_breakers: ['Endpoints of webhooks that are not called at present because they fail', []],
  longshore_due_deliveries: ['Deliveries of webhooks that are due; estimated beyond 5,000', []],
  longshore_feeds: [
    'Feeds whose last run has failed (failing), to which no file has come in the expected time (overdue), and that are paused; at most 10,000 are counted',
    ['condition'],
  ],
  longshore_quota_limit: [
    'Quotas by account: requests in a minute, rows, bytes, uploads, stages; at most 100 accounts, that have used most of one',
    ['account', 'quota'],
  ],
  longshore_quota_used: ['What these accounts have used of their quotas', ['account', 'quota']],
  longshore_database_connections: ['Connections that Postgres has (used), and allows (limit)', ['state']],
} as const satisfies Record<string, readonly [help: string, labels: readonly string[]]>;

/** Makes metrics of what was measured of the system. */
export async function systemMetrics(figures: SystemFigures): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
  const registry = new Registry();
  for (const [name, [help, labelNames]] of Object.entries(SYSTEM_METRICS)) {
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    if (labelNames.length === 0) gauge.remove();
    for (const { labels, value } of figures[name as keyof SystemFigures]) gauge.set({ ...labels }, value);
  }
  return registry.getMetricsAsJSON();
}

export const WORKERS_METRIC = 'longshore_workers';

/**
 * The metric of the living workers. The process that is asked counts them, because the leader of maintenance, which
 * measures the rest of the system, may be among those that have died.
 */
export async function workersMetric(
  served: ReadonlyMap<string, number>,
): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
  const [help, labelNames] = SYSTEM_METRICS[WORKERS_METRIC];
  const registry = new Registry();
  const gauge = new Gauge({ name: WORKERS_METRIC, help, labelNames, registers: [registry] });
  for (const [group, count] of served) gauge.set({ group }, count);
  return registry.getMetricsAsJSON();
}
