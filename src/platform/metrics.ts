/**
 * What a process counts and measures, and how the figures of several processes become one page for Prometheus. Work is
 * counted once a request, a chunk, a batch or an attempt, never once a row.
 */
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { FileStore } from './file-store.js';

/** The upper bounds of histograms, in seconds. Few, because each is a line of the page for each set of labels. */
const SHORT = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
const WORK = [0.01, 0.05, 0.25, 1, 5, 30, 120];
const LONG = [1, 10, 60, 600, 3_600, 36_000];

/** The numbers of rows by their outcome. */
interface RowCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

/** How much of something was done, and the seconds of worker slots that it took. */
export interface Done {
  readonly count: number;
  readonly seconds: number;
}

/** The work that a process has done since it began; the scaling of workers computes with it. */
export interface WorkDone {
  /** By type of job. */
  readonly rows: Readonly<Record<string, Done>>;
  readonly exports: Done;
  readonly deliveries: Done;
  /** The most connections to Postgres that it opens. */
  readonly connections: number;
}

const NOTHING: Done = { count: 0, seconds: 0 };

/** A pool of connections to Postgres, as tarn has them. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
  on(event: 'acquireRequest' | 'acquireSuccess' | 'acquireFail', listener: (request: number) => void): unknown;
}

/** The states of parts, as the metric has them. */
const PART_STATUS = { ok: 0, degraded: 1, down: 2 } as const;

/** What readiness says of a part. */
interface PartFound {
  readonly status: keyof typeof PART_STATUS;
  /** What to do; one of few texts. */
  readonly cure?: string | undefined;
}

/** Gauges of prom-client whose names say that they are counters, which Prometheus' own check refuses. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** The metrics of one process. */
export class Metrics {
  readonly #registry = new Registry();
  #rows: Record<string, Done> = {};
  #exports = NOTHING;
  #deliveries = NOTHING;
  #connections = 0;

  readonly #requests = this.#counter(
    'longshore_requests_total',
    'Requests by route, method and status; 499: the client closed the connection',
    ['route', 'method', 'status'],
  );
  readonly #requestSeconds = this.#histogram(
    'longshore_request_seconds',
    'The time of requests by route, with the time that the client waits for a result',
    ['route'],
    SHORT,
  );
  readonly #jobs = this.#counter('longshore_jobs_total', 'Jobs that have ended, by type and status', [
    'type',
    'outcome',
  ]);
  readonly #jobSeconds = this.#histogram(
    'longshore_job_seconds',
    'The time from the acceptance of jobs to their end',
    ['type'],
    LONG,
  );
  readonly #rowsTotal = this.#counter('longshore_rows_total', 'Rows of imports, by type and outcome', [
    'type',
    'outcome',
  ]);
  readonly #rowSeconds = this.#counter(
    'longshore_row_slot_seconds_total',
    'Seconds of worker slots in which rows were applied; divided by the rows: the seconds per row',
    ['type'],
  );
  readonly #chunkSeconds = this.#histogram(
    'longshore_chunk_seconds',
    'The time in which chunks and batches of small jobs were applied',
    ['type'],
    WORK,
  );
  readonly #stepSeconds = this.#histogram(
    'longshore_step_seconds',
    'The time of steps, which is that of queue jobs, by queue and end (done, snoozed, failed, returned)',
    ['queue', 'end'],
    WORK,
  );
  /** Since the metrics were collected last, by outcome: prom-client takes several times as long to count one. */
  readonly #attempts = new Map<string, number>();
  readonly #deliveriesTotal = this.#counter(
    'longshore_deliveries_total',
    'Attempts to deliver webhooks, by outcome; dead: the last attempt has failed',
    ['outcome'],
    () => {
      for (const [outcome, count] of this.#attempts) this.#deliveriesTotal.inc({ outcome }, count);
      this.#attempts.clear();
    },
  );
  readonly #deliverySeconds = this.#histogram(
    'longshore_delivery_seconds',
    'The time of requests to the targets of webhooks',
    [],
    SHORT,
  );
  readonly #deliveryLag = this.#histogram(
    'longshore_delivery_lag_seconds',
    'The time from an event to the first attempt to deliver it',
    [],
    LONG,
  );
  readonly #rescues = this.#counter(
    'longshore_reconciler_rescues_total',
    'What the queue had lost or nothing referred to, and the reconciler has enqueued again',
    ['what'],
  );
  readonly #redispatches = this.#counter(
    'longshore_redispatches_total',
    'Steps that have failed and were enqueued again or ended their job, by kind of failure',
    ['failure'],
  );
  readonly #poolWait = this.#histogram(
    'longshore_pool_wait_seconds',
    'How long statements have waited for a connection of the pool',
    [],
    SHORT,
  );
  readonly #storeSeconds = this.#histogram(
    'longshore_store_seconds',
    'The time of operations of the file store; of reads and writes the time until the stream is open',
    ['operation'],
    SHORT,
  );
  readonly #storeFailures = this.#counter(
    'longshore_store_failures_total',
    'Operations of the file store that have failed',
    ['operation'],
  );
  readonly #info = this.#gauge('longshore_process_info', 'Always 1: what the process serves, and its release', [
    'groups',
    'version',
  ]);

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
  }

  /** Says what the process is. */
  describe(groups: readonly string[], version: string): void {
    this.#info.set({ groups: groups.join(' '), version }, 1);
  }

  /** @param route the path of the route with its parameters, or `none` */
  requestDone(route: string, method: string, status: number, seconds: number): void {
    this.#requests.inc({ route, method, status });
    this.#requestSeconds.observe({ route }, seconds);
  }

  /** @param seconds from its acceptance to its end */
  jobEnded(type: string, outcome: string, seconds: number): void {
    this.#jobs.inc({ type, outcome });
    this.#jobSeconds.observe({ type }, seconds);
  }

  /** Rows that one transaction has applied, and the seconds of a worker slot that they took. */
  rowsApplied(type: string, counts: RowCounts, seconds: number): void {
    const outcomes = { created: counts.created, updated: counts.updated, unchanged: counts.unchanged };
    for (const [outcome, count] of Object.entries({ ...outcomes, failed: counts.failed })) {
      if (count > 0) this.#rowsTotal.inc({ type, outcome }, count);
    }
    const count = counts.created + counts.updated + counts.unchanged + counts.failed;
    this.#rowSeconds.inc({ type }, seconds);
    this.#chunkSeconds.observe({ type }, seconds);
    this.#rows[type] = more(this.#rows[type], count, seconds);
  }

  stepEnded(queue: string, end: 'done' | 'snoozed' | 'failed' | 'returned', seconds: number): void {
    this.#stepSeconds.observe({ queue, end }, seconds);
  }

  /** @param seconds of a worker slot */
  exportEnded(seconds: number): void {
    this.#exports = more(this.#exports, 1, seconds);
  }

  /** @param lagSeconds since the event; null: this is a later attempt */
  deliveryAttempted(outcome: string, seconds: number, lagSeconds: number | null): void {
    this.#attempts.set(outcome, (this.#attempts.get(outcome) ?? 0) + 1);
    this.#deliverySeconds.observe(seconds);
    if (lagSeconds !== null) this.#deliveryLag.observe(Math.max(0, lagSeconds));
    this.#deliveries = more(this.#deliveries, 1, seconds);
  }

  rescued(what: 'step' | 'small-job' | 'unreferred' | 'fan-out' | 'delivery', count: number): void {
    if (count > 0) this.#rescues.inc({ what }, count);
  }

  redispatched(failure: string): void {
    this.#redispatches.inc({ failure });
  }

  storeAnswered(operation: string, seconds: number, failed: boolean): void {
    this.#storeSeconds.observe({ operation }, seconds);
    if (failed) this.#storeFailures.inc({ operation });
  }

  /** Measures the pool of the process. @param limit the most connections that it opens */
  watchPool(pool: Pool, limit: number): void {
    this.#connections = limit;
    const connections = this.#gauge(
      'longshore_pool_connections',
      'Connections to Postgres by state (used, idle, limit), and statements that wait for one (waiting)',
      ['state'],
      () => {
        connections.set({ state: 'used' }, pool.numUsed());
        connections.set({ state: 'idle' }, pool.numFree());
        connections.set({ state: 'waiting' }, pool.numPendingAcquires());
        connections.set({ state: 'limit' }, limit);
      },
    );
    const since = new Map<number, number>();
    const answered = (request: number) => {
      const began = since.get(request);
      since.delete(request);
      if (began !== undefined) this.#poolWait.observe(secondsSince(began));
    };
    pool.on('acquireRequest', (request) => since.set(request, performance.now()));
    pool.on('acquireSuccess', answered);
    pool.on('acquireFail', answered);
  }

  /** Has readiness say how the parts of the system are. */
  watchParts(parts: () => Readonly<Record<string, PartFound>>): void {
    const gauge = this.#gauge(
      'longshore_part_status',
      'The parts that readiness tries, as this web process finds them: 0 ok, 1 degraded, 2 down, and then with its cure',
      ['part', 'cure'],
      () => {
        gauge.reset();
        for (const [part, { status, cure = '' }] of Object.entries(parts())) {
          gauge.set({ part, cure }, PART_STATUS[status]);
        }
      },
    );
  }

  /** The metrics now, to be passed to `metricsPage`. */
  snapshot(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    return this.#registry.getMetricsAsJSON();
  }

  /** What the process tells the others. */
  async publish(): Promise<{ readonly metrics: string; readonly facts: WorkDone }> {
    return { metrics: JSON.stringify(await this.snapshot()), facts: this.workDone() };
  }

  workDone(): WorkDone {
    const rows = { ...this.#rows };
    return { rows, exports: this.#exports, deliveries: this.#deliveries, connections: this.#connections };
  }

  #counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    collect: () => void = () => undefined,
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, collect, registers: [this.#registry] });
  }

  #gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    collect: () => void = () => undefined,
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, collect, registers: [this.#registry] });
  }

  #histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[], buckets: number[]) {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.#registry] });
  }
}

function more(done: Done = NOTHING, count: number, seconds: number): Done {
  return { count: done.count + count, seconds: done.seconds + seconds };
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}

/** The operations of a file store that are measured. */
const MEASURED: ReadonlySet<string | symbol> = new Set<keyof FileStore>([
  ...(['create', 'read', 'readRange', 'size', 'requireSize', 'remove', 'ping'] as const),
]);

/** A file store whose operations are measured. */
export function measuredStore(store: FileStore, metrics: Metrics): FileStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || typeof name !== 'string' || !MEASURED.has(name)) return member;
      return async (...given: unknown[]) => {
        const began = performance.now();
        let failed = false;
        try {
          return await Reflect.apply(member, target, given);
        } catch (error) {
          failed = !(error instanceof Error && error.name === 'FileMissing');
          throw error;
        } finally {
          metrics.storeAnswered(name, secondsSince(began), failed);
        }
      };
    },
  });
}

// The figures of the system as a whole, which one process measures.

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

/**
 * What a page says of itself. These are metrics of the process that is asked, and of no other.
 * @param readable whether it could read the figures of the others
 * @param systemAge undefined: there are no figures of the system
 */
export async function answerMetrics(
  readable: boolean,
  systemAge: number | undefined,
): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
  const registry = new Registry();
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  gauge(
    'longshore_snapshots_readable',
    'Of the web process that is asked: 1 if it could read the figures of the others, 0 if the database did not answer',
  ).set(readable ? 1 : 0);
  const age = gauge(
    'longshore_system_age_seconds',
    'Of the web process that is asked: the age of the figures of the system, which the leader of maintenance writes',
  );
  // A gauge begins as 0, which would be believed.
  if (systemAge === undefined) age.remove();
  else age.set(systemAge);
  return registry.getMetricsAsJSON();
}

/** The Content-Type of the page. */
export const PAGE_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** The metrics of one process, or of the system. */
export interface Measured {
  /** Which becomes a label of each metric; null: these are of the system as a whole. */
  readonly process: string | null;
  readonly metrics: readonly MetricObjectWithValues<MetricValue<string>>[];
}

/** Makes one page, in the text format of Prometheus. */
export function metricsPage(measured: readonly Measured[]): Promise<string> {
  const labelled = measured.map(({ process, metrics }) =>
    metrics.map((metric) => ({
      ...metric,
      // Each process has lines of its own, so that there is nothing to add up.
      aggregator: 'sum' as const,
      values: metric.values.map((value) =>
        process === null ? value : { ...value, labels: { ...value.labels, process } },
      ),
    })),
  );
  return AggregatorRegistry.aggregate(labelled).metrics();
}
