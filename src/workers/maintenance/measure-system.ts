/**
 * Measures the system as a whole, for the metrics and for the scaling of workers. The leader of maintenance does it
 * every few seconds. What a statement costs does not grow with what waits: it reads the first entries of an index, or
 * some pages of a table and concludes from them to the others.
 */
import type { Db } from '../../../db/connection.js';
import { readSnapshots, writeSystemSnapshot } from '../../../db/process-snapshots.js';
import type { Config } from '../../config/config.js';
import { measureQuotas } from '../../domain/access/quota-use.js';
import { systemMetrics } from '../../platform/metrics/system-figures.js';
import type { Done, WorkDone } from '../../platform/metrics/work-done.js';
import type { QueueGroup } from '../../queues/define-queue.js';
import { connectionsBeside } from '../connections.js';
import type { WorkerServices } from '../context.js';
import { HourlyFigures } from './hourly-figures.js';
import { countWork } from './measure/count-work.js';
import { sum } from './measure/fade.js';
import { figuresOf } from './measure/figures.js';
import { GroupRates } from './measure/group-rates.js';
import { GROUPS, type GroupScale, statesOf } from './measure/group-scale.js';
import { UnitSpeed } from './measure/unit-speed.js';
import { DELIVERY, EXPORT, groupOf, unitsOf } from './measure/units.js';
import { type GroupMeasured, type GroupState, wantedWorkers } from './wanted-workers.js';

/** Fewer slot-seconds than this in the recent time say nothing about the speed. */
const LEAST_SECONDS = 1;
/** How long units take before any was measured, in slot-seconds. */
const ASSUMED = { row: 0.000_5, export: 2, delivery: 0.05 } as const;
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

function slotsOf(group: QueueGroup, config: Config): number {
  if (group === 'bulk') return config.chunkConcurrency;
  return group === 'export' ? config.exportConcurrency : config.webhooks.deliveryConcurrency;
}

/** The connections that a worker process may open; 0 for others. */
function connectionsOf(groups: readonly string[], facts: unknown, config: Config): number {
  return groups.includes('web') ? 0 : (facts as WorkDone).connections + connectionsBeside(config);
}
