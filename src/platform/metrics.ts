/**
 * What a process counts and measures. Work is counted once a request, a chunk, a batch or an attempt, never once a row.
 */
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { Instruments, LONG, SHORT, WORK } from './metrics/instruments.js';
import { type PartFound, watchParts } from './metrics/part-metrics.js';
import { type Pool, watchPool } from './metrics/pool-metrics.js';
import { type Done, more, NOTHING, type WorkDone } from './metrics/work-done.js';

/** The numbers of rows by their outcome. */
interface RowCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

/** The metrics of one process. */
export class Metrics {
  readonly #instruments = new Instruments();
  #rows: Record<string, Done> = {};
  #exports = NOTHING;
  #deliveries = NOTHING;
  #connections = 0;

  readonly #requests = this.#instruments.counter(
    'longshore_requests_total',
    'Requests by route, method and status; 499: the client closed the connection',
    ['route', 'method', 'status'],
  );
  readonly #requestSeconds = this.#instruments.histogram(
    'longshore_request_seconds',
    'The time of requests by route, with the time that the client waits for a result',
    ['route'],
    SHORT,
  );
  readonly #jobs = this.#instruments.counter('longshore_jobs_total', 'Jobs that have ended, by type and status', [
    'type',
    'outcome',
  ]);
  readonly #jobSeconds = this.#instruments.histogram(
    'longshore_job_seconds',
    'The time from the acceptance of jobs to their end',
    ['type'],
    LONG,
  );
  readonly #rowsTotal = this.#instruments.counter('longshore_rows_total', 'Rows of imports, by type and outcome', [
    'type',
    'outcome',
  ]);
  readonly #rowSeconds = this.#instruments.counter(
    'longshore_row_slot_seconds_total',
    'Seconds of worker slots in which rows were applied; divided by the rows: the seconds per row',
    ['type'],
  );
  readonly #chunkSeconds = this.#instruments.histogram(
    'longshore_chunk_seconds',
    'The time in which chunks and batches of small jobs were applied',
    ['type'],
    WORK,
  );
  readonly #stepSeconds = this.#instruments.histogram(
    'longshore_step_seconds',
    'The time of steps, which is that of queue jobs, by queue and end (done, snoozed, failed, returned)',
    ['queue', 'end'],
    WORK,
  );
  /** Since the metrics were collected last, by outcome: prom-client takes several times as long to count one. */
  readonly #attempts = new Map<string, number>();
  readonly #deliveriesTotal = this.#instruments.counter(
    'longshore_deliveries_total',
    'Attempts to deliver webhooks, by outcome; dead: the last attempt has failed',
    ['outcome'],
    () => {
      for (const [outcome, count] of this.#attempts) this.#deliveriesTotal.inc({ outcome }, count);
      this.#attempts.clear();
    },
  );
  readonly #deliverySeconds = this.#instruments.histogram(
    'longshore_delivery_seconds',
    'The time of requests to the targets of webhooks',
    [],
    SHORT,
  );
  readonly #deliveryLag = this.#instruments.histogram(
    'longshore_delivery_lag_seconds',
    'The time from an event to the first attempt to deliver it',
    [],
    LONG,
  );
  readonly #rescues = this.#instruments.counter(
    'longshore_reconciler_rescues_total',
    'What the queue had lost or nothing referred to, and the reconciler has enqueued again',
    ['what'],
  );
  readonly #redispatches = this.#instruments.counter(
    'longshore_redispatches_total',
    'Steps that have failed and were enqueued again or ended their job, by kind of failure',
    ['failure'],
  );
  readonly #poolWait = this.#instruments.histogram(
    'longshore_pool_wait_seconds',
    'How long statements have waited for a connection of the pool',
    [],
    SHORT,
  );
  readonly #storeSeconds = this.#instruments.histogram(
    'longshore_store_seconds',
    'The time of operations of the file store; of reads and writes the time until the stream is open',
    ['operation'],
    SHORT,
  );
  readonly #storeFailures = this.#instruments.counter(
    'longshore_store_failures_total',
    'Operations of the file store that have failed',
    ['operation'],
  );
  readonly #info = this.#instruments.gauge(
    'longshore_process_info',
    'Always 1: what the process serves, and its release',
    ['groups', 'version'],
  );

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
    watchPool(this.#instruments, this.#poolWait, pool, limit);
  }

  /** Has readiness say how the parts of the system are. */
  watchParts(parts: () => Readonly<Record<string, PartFound>>): void {
    watchParts(this.#instruments, parts);
  }

  /** The metrics now, to be passed to `metricsPage`. */
  snapshot(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    return this.#instruments.snapshot();
  }

  /** What the process tells the others. */
  async publish(): Promise<{ readonly metrics: string; readonly facts: WorkDone }> {
    return { metrics: JSON.stringify(await this.snapshot()), facts: this.workDone() };
  }

  workDone(): WorkDone {
    const rows = { ...this.#rows };
    return { rows, exports: this.#exports, deliveries: this.#deliveries, connections: this.#connections };
  }
}
