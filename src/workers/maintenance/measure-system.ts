/**
 * Measures the system as a whole, for the metrics and for the scaling of workers. The leader of maintenance does it
 * every few seconds. What a statement costs does not grow with what waits: it reads the first entries of an index, or
 * some pages of a table and concludes from them to the others.
 */
import type { Db } from '../../../db/connection.js';
import { readSnapshots, writeSystemSnapshot } from '../../../db/process-snapshots.js';
import type { Config } from '../../config/config.js';
import { measureQuotas } from '../../domain/access/quota-use.js';
import { type SystemFigures, systemMetrics } from '../../platform/metrics/system-figures.js';
import type { Done, WorkDone } from '../../platform/metrics/work-done.js';
import type { QueueGroup } from '../../queues/define-queue.js';
import type { WorkerServices } from '../context.js';
import { HourlyFigures } from './hourly-figures.js';
import { type GroupMeasured, type GroupState, LIMITS, wantedWorkers } from './wanted-workers.js';

const GROUPS = ['bulk', 'export', 'webhook'] as const satisfies readonly QueueGroup[];

/** The time over which rates are averaged. */
const RECENT_SECONDS = 60;
/** The time over which it is learnt how long a row usually takes. */
const USUAL_SECONDS = 86_400;
/** Fewer slot-seconds than this in the recent time say nothing about the speed. */
const LEAST_SECONDS = 1;
/** How long units take before any was measured, in slot-seconds. */
const ASSUMED = { row: 0.000_5, export: 2, delivery: 0.05 } as const;
const EXPORT = 'export';
const DELIVERY = 'delivery';
/** Connections for the queues of a worker process, where these are in Postgres. */
const QUEUE_CONNECTIONS = 15;
/** Connections of Postgres that are left for persons and for web processes. */
const SPARE_CONNECTIONS = 5;

/** How much longer than measuring quotas takes it is not done again. */
const QUOTA_PAUSES = 20;

/** Measures, and keeps what the next measurement is compared with. */
export class SystemMeter {
  readonly #units = new Map<string, UnitSpeed>();
  readonly #groups = new Map<QueueGroup, GroupRates>();
  readonly #done = new Map<string, WorkDone>();
  readonly #hourly = new HourlyFigures();
  #states: Partial<Record<QueueGroup, GroupState>> | undefined;
  #measuredAt: number | undefined;
  #quotas: Awaited<ReturnType<typeof measureQuotas>> = [];
  #quotasDueAt = Number.NEGATIVE_INFINITY;

  /**
   * Measures the system and publishes the result.
   * @param unreferredJobs the ids of jobs that nothing refers to, which are published as well
   */
  async measure({ db, config, producer }: WorkerServices, unreferredJobs: readonly string[] = []): Promise<void> {
    const now = performance.now();
    const seconds = this.#measuredAt === undefined ? 0 : (now - this.#measuredAt) / 1000;
    this.#measuredAt = now;
    const [depths, waits, counted, { processes, system }] = await Promise.all([
      producer.depths().catch(() => null),
      producer.waits().catch(() => null),
      countWork(db),
      readSnapshots(db),
      this.#measureQuotas(db),
    ]);
    this.#states ??= statesOf(system?.facts);
    const busy = this.#learn(new Map(processes.map(({ id, facts }) => [id, facts as WorkDone])), seconds);
    const perWorker = Math.max(1, ...processes.map(({ groups, facts }) => connectionsOf(groups, facts, config)));
    const roomForWorkers = (counted.connectionLimit - SPARE_CONNECTIONS - counted.connections) / perWorker;
    const scale: Record<string, GroupScale> = {};
    for (const group of GROUPS) {
      const rates = this.#groups.get(group) ?? new GroupRates();
      this.#groups.set(group, rates);
      const open = new Map([...counted.open].filter(([unit]) => groupOf(unit) === group));
      const secondsOf = (unit: string) => this.#speedOf(unit).recent;
      rates.note(open, busy[group], seconds, secondsOf);
      const due = sum([...open].map(([unit, count]) => count * secondsOf(unit)));
      const onQueue =
        depths === null ? null : sum(depths.map((of) => (of.group === group ? of.waiting + of.active : 0)));
      const endpoints = counted.endpoints * config.webhooks.endpointConcurrency;
      const parallel = group === 'webhook' ? Math.min(open.get(DELIVERY) ?? 0, endpoints) : onQueue;
      const measured: GroupMeasured = {
        at: Date.now(),
        workers: processes.filter(({ groups }) => groups.includes(group)).length,
        slots: slotsOf(group, config),
        arrival: rates.arrival,
        due,
        parallel: rates.mostParallel(parallel ?? Number.POSITIVE_INFINITY, now),
        slowness: group === 'webhook' ? null : this.#slownessOf(group),
        roomForWorkers,
      };
      const { wanted, unlimited, limitedBy, state } = wantedWorkers(measured, this.#states[group] ?? null);
      this.#states[group] = state;
      scale[group] = { ...measured, busy: busy[group], wanted, unlimited, limitedBy, state };
    }
    await this.#hourly.note(db, counted);
    const figures = figuresOf(scale, counted, depths ?? [], waits ?? new Map(), this.#secondsPerUnit(), this.#quotas);
    await writeSystemSnapshot(db, {
      metrics: JSON.stringify(await systemMetrics(figures)),
      facts: { measuredAt: new Date().toISOString(), groups: scale, unreferredJobs },
    });
  }

  /** The files of accounts are added up for it, so it is done the more rarely the longer it takes. */
  async #measureQuotas(db: Db): Promise<void> {
    const began = performance.now();
    if (began < this.#quotasDueAt) return;
    this.#quotas = await measureQuotas(db);
    this.#quotasDueAt = began + QUOTA_PAUSES * (performance.now() - began);
  }

  /** Learns from what processes have done since the last time. @returns how many slots were busy, by group */
  #learn(processes: ReadonlyMap<string, WorkDone>, seconds: number): Record<QueueGroup, number> {
    const units = new Map<string, Done>();
    for (const [id, done] of processes) {
      const before = this.#done.get(id);
      // A process that is seen for the first time may have done this long ago.
      if (before !== undefined) {
        for (const [unit, now] of unitsOf(done)) {
          const { count, seconds: took } = unitsOf(before).get(unit) ?? { count: 0, seconds: 0 };
          const others = units.get(unit) ?? { count: 0, seconds: 0 };
          units.set(unit, {
            count: others.count + Math.max(0, now.count - count),
            seconds: others.seconds + Math.max(0, now.seconds - took),
          });
        }
      }
      this.#done.set(id, done);
    }
    for (const id of this.#done.keys()) if (!processes.has(id)) this.#done.delete(id);
    for (const unit of new Set([...this.#units.keys(), ...units.keys()])) {
      this.#speedOf(unit).note(units.get(unit) ?? { count: 0, seconds: 0 }, seconds);
    }
    const busy = { bulk: 0, export: 0, webhook: 0 };
    for (const [unit, speed] of this.#units) busy[groupOf(unit)] += speed.busySlots;
    return busy;
  }

  #speedOf(unit: string): UnitSpeed {
    const known = this.#units.get(unit);
    if (known !== undefined) return known;
    const speed = new UnitSpeed(unit === EXPORT ? ASSUMED.export : unit === DELIVERY ? ASSUMED.delivery : ASSUMED.row);
    this.#units.set(unit, speed);
    return speed;
  }

  /** How much longer a slot takes for the work of a group than usually. */
  #slownessOf(group: QueueGroup): number | null {
    const speeds = [...this.#units].flatMap(([unit, speed]) => (groupOf(unit) === group ? [speed] : []));
    const took = sum(speeds.map(({ recentSeconds }) => recentSeconds));
    return took < LEAST_SECONDS ? null : took / sum(speeds.map(({ usualSeconds }) => usualSeconds));
  }

  #secondsPerUnit(): ReadonlyMap<string, number> {
    return new Map([...this.#units].flatMap(([unit, speed]) => (speed.isMeasured ? [[unit, speed.recent]] : [])));
  }
}

/** What the scaling of a group has found. */
interface GroupScale extends GroupMeasured {
  readonly busy: number;
  readonly wanted: number;
  readonly unlimited: number;
  readonly limitedBy: string | null;
  readonly state: GroupState;
}

function statesOf(facts: unknown): Partial<Record<QueueGroup, GroupState>> {
  const { groups = {} } = (facts ?? {}) as { groups?: Record<string, GroupScale> };
  return Object.fromEntries(Object.entries(groups).map(([group, { state }]) => [group, state]));
}

function unitsOf({ rows, exports, deliveries }: WorkDone): ReadonlyMap<string, Done> {
  return new Map([...Object.entries(rows), [EXPORT, exports], [DELIVERY, deliveries]]);
}

function groupOf(unit: string): QueueGroup {
  return unit === EXPORT ? 'export' : unit === DELIVERY ? 'webhook' : 'bulk';
}

function slotsOf(group: QueueGroup, config: Config): number {
  if (group === 'bulk') return config.chunkConcurrency;
  return group === 'export' ? config.exportConcurrency : config.webhooks.deliveryConcurrency;
}

/** The connections that a worker process may open; 0 for others. */
function connectionsOf(groups: readonly string[], facts: unknown, { redisUrl }: Config): number {
  if (groups.includes('web')) return 0;
  return (facts as WorkDone).connections + (redisUrl === undefined ? QUEUE_CONNECTIONS : 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** An average in which what is older counts less. @param over the time after which it counts about a third */
function fade(seconds: number, over: number): number {
  return Math.exp(-seconds / over);
}

/** How long one unit of work takes. */
class UnitSpeed {
  #recent: Done = { count: 0, seconds: 0 };
  #last: number | undefined;
  /** Averaged over time and not over units, of which there are most when the database has most to do. */
  #usual: number | undefined;

  constructor(readonly assumed: number) {}

  note({ count, seconds }: Done, passed: number): void {
    const kept = fade(passed, RECENT_SECONDS);
    this.#recent = { count: this.#recent.count * kept + count, seconds: this.#recent.seconds * kept + seconds };
    if (count === 0) return;
    this.#last = this.#recent.seconds / this.#recent.count;
    const usuallyKept = fade(passed, USUAL_SECONDS);
    this.#usual = (this.#usual ?? this.#last) * usuallyKept + this.#last * (1 - usuallyKept);
  }

  get isMeasured(): boolean {
    return this.#last !== undefined;
  }

  /** Slot-seconds per unit, when it was measured last. */
  get recent(): number {
    return this.#last ?? this.assumed;
  }

  get busySlots(): number {
    return this.#recent.seconds / RECENT_SECONDS;
  }

  get recentSeconds(): number {
    return this.#recent.seconds;
  }

  /** What the recent work usually takes. */
  get usualSeconds(): number {
    return this.#recent.count * (this.#usual ?? 0);
  }
}

/** What arrives for a group. Nothing counts it: it is what was done and how much more waits than before. */
class GroupRates {
  #arrival = 0;
  #open: ReadonlyMap<string, number> | undefined;
  #parallel: { readonly at: number; readonly slots: number }[] = [];

  note(open: ReadonlyMap<string, number>, busy: number, seconds: number, secondsOf: (unit: string) => number): void {
    const before = this.#open;
    this.#open = open;
    if (before === undefined || seconds === 0) return;
    const units = new Set([...before.keys(), ...open.keys()]);
    const more = sum([...units].map((unit) => ((open.get(unit) ?? 0) - (before.get(unit) ?? 0)) * secondsOf(unit)));
    const kept = fade(seconds, RECENT_SECONDS);
    this.#arrival = this.#arrival * kept + (busy + more / seconds) * (1 - kept);
  }

  get arrival(): number {
    return Math.max(0, this.#arrival);
  }

  /** The most that could run at once in the last minute: queues are empty for moments. */
  mostParallel(slots: number, now: number): number {
    this.#parallel = [...this.#parallel.filter(({ at }) => at > now - RECENT_SECONDS * 1000), { at: now, slots }];
    const known = this.#parallel.map((one) => one.slots).filter(Number.isFinite);
    // Without the queue nothing is known of it, and nothing limited by it.
    return known.length === 0 ? Number.MAX_SAFE_INTEGER : Math.max(...known);
  }
}

// Counting what waits

/** Pages of a table that one statement reads. */
const SAMPLED_PAGES = 20;
/** Pages that are read where a count has found its limit. */
const MORE_PAGES = 200;
const PAGE_BYTES = 8_192;
/** Bytes of an uploaded file for each row, before its rows are known. */
const ROW_BYTES = 150;
const MOST_JOBS = 500;
const MOST_EXPORTS = 1_000;
const MOST_DELIVERIES = 5_000;
/** Deliveries of which the endpoints are looked at: those that have waited longest, and those that came last. */
const ENDS = 1_000;
const MOST_BREAKERS = 10_000;

interface CountedWork {
  /** By unit: a type of rows, `export` or `delivery`. */
  readonly open: ReadonlyMap<string, number>;
  /** Endpoints that have deliveries which are due. */
  readonly endpoints: number;
  readonly openBreakers: number;
  readonly connections: number;
  readonly connectionLimit: number;
}

/**
 * Counts what waits and runs.
 * @internal exported for tests
 */
export async function countWork(db: Db): Promise<CountedWork> {
  const { rows } = await db.raw<{ rows: CountedRow[] }>(COUNT);
  const [row] = rows;
  if (row === undefined) throw new Error('counting has no result');
  const open = new Map<string, number>();
  const add = (kind: string, count: number) => open.set(kind, (open.get(kind) ?? 0) + count);
  for (const { kind, rows: running } of await runningRows(db)) add(kind, running);
  const share = Math.min(1, SAMPLED_PAGES / Math.max(1, row.order_bytes / PAGE_BYTES));
  for (const { kind, rows: waiting } of await waitingRows(db, share)) add(kind, waiting / share);
  add(EXPORT, row.exports);
  const deliveries = row.deliveries < MOST_DELIVERIES ? row.deliveries : await manyDeliveries(db, row.delivery_bytes);
  add(DELIVERY, deliveries);
  return {
    open,
    endpoints: row.endpoints,
    openBreakers: row.breakers,
    connections: row.connections,
    connectionLimit: row.connection_limit,
  };
}

interface CountedRow {
  readonly order_bytes: number;
  readonly delivery_bytes: number;
  readonly exports: number;
  readonly deliveries: number;
  readonly endpoints: number;
  readonly breakers: number;
  readonly connections: number;
  readonly connection_limit: number;
}

const COUNT = `
  SELECT pg_relation_size('job_order') AS order_bytes, pg_relation_size('delivery') AS delivery_bytes,
    (SELECT count(*)::integer FROM (
       SELECT FROM job WHERE completed_at IS NULL AND step = 'export' LIMIT ${MOST_EXPORTS}) AS found) AS exports,
    (SELECT count(*)::integer FROM (
       SELECT FROM delivery WHERE next_attempt_at <= now() LIMIT ${MOST_DELIVERIES}) AS found) AS deliveries,
    (SELECT count(DISTINCT endpoint)::integer FROM (
       (SELECT coalesce(callback_url, definition_id) AS endpoint FROM delivery WHERE next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT ${ENDS})
       UNION ALL
       (SELECT coalesce(callback_url, definition_id) FROM delivery WHERE next_attempt_at <= now()
        ORDER BY next_attempt_at DESC LIMIT ${ENDS})) AS ends) AS endpoints,
    (SELECT count(*)::integer FROM (
       SELECT FROM endpoint_health WHERE open_until > now() LIMIT ${MOST_BREAKERS}) AS found) AS breakers,
    (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
      AS connection_limit`;

interface RowsOfKind {
  readonly kind: string;
  readonly rows: number;
}

const RUNNING = `
  SELECT kind, sum(CASE
      WHEN step = 'apply-all' THEN total_count
      WHEN wave > 0 THEN coalesce((plan ->> 'waiting')::integer, 0)
      ELSE total_count - first_row END)::float8 AS rows
  FROM (
    (SELECT id, kind, step, total_count, plan FROM job WHERE step = 'apply' LIMIT ${MOST_JOBS})
    UNION ALL
    (SELECT id, kind, step, total_count, plan FROM job
     WHERE completed_at IS NULL AND dispatched_at IS NOT NULL AND step = 'apply-all' LIMIT ${MOST_JOBS})) AS job
  LEFT JOIN LATERAL (
    -- The first chunk that is not done: in the first pass, all rows behind it are not done either.
    SELECT first_row, wave FROM job_chunk
    WHERE job_id = job.id AND status IN ('dispatched', 'pending') ORDER BY status, idx LIMIT 1) AS chunk ON true
  WHERE total_count IS NOT NULL AND (first_row IS NOT NULL OR step = 'apply-all')
  GROUP BY kind`;

async function runningRows(db: Db): Promise<readonly RowsOfKind[]> {
  return (await db.raw<{ rows: RowsOfKind[] }>(RUNNING)).rows;
}

const WAITING = `
  SELECT kind, sum(coalesce(total_count, file.bytes / ${ROW_BYTES}, 0))::float8 AS rows
  FROM (SELECT job_id FROM job_order TABLESAMPLE SYSTEM (?) WHERE state IN ('q', 'h')) AS waiting
  CROSS JOIN LATERAL (
    SELECT kind, total_count, input_file_id FROM job WHERE id = waiting.job_id LIMIT 1) AS job
  LEFT JOIN LATERAL (
    SELECT bytes FROM file WHERE total_count IS NULL AND id = job.input_file_id LIMIT 1) AS file ON true
  GROUP BY kind`;

async function waitingRows(db: Db, share: number): Promise<readonly RowsOfKind[]> {
  return (await db.raw<{ rows: RowsOfKind[] }>(WAITING, [share * 100])).rows;
}

async function manyDeliveries(db: Db, bytes: number): Promise<number> {
  const share = Math.min(1, MORE_PAGES / Math.max(1, bytes / PAGE_BYTES));
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    'SELECT count(*)::integer AS count FROM delivery TABLESAMPLE SYSTEM (?) WHERE next_attempt_at <= now()',
    [share * 100],
  );
  return Math.max(MOST_DELIVERIES, (rows[0]?.count ?? 0) / share);
}

// What is published

type Depths = Awaited<ReturnType<WorkerServices['producer']['depths']>>;

function figuresOf(
  scale: Readonly<Record<string, GroupScale>>,
  { open, openBreakers, connections, connectionLimit }: CountedWork,
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
