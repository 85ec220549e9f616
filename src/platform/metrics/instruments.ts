/** The counters, gauges and histograms of one process, in a registry of their own. */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** The upper bounds of histograms, in seconds. Few, because each is a line of the page for each set of labels. */
export const SHORT = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
export const WORK = [0.01, 0.05, 0.25, 1, 5, 30, 120];
export const LONG = [1, 10, 60, 600, 3_600, 36_000];

/** Gauges of prom-client whose names say that they are counters, which Prometheus' own check refuses. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

let ofProcess: Registry | undefined;

/**
 * What prom-client measures of the process itself. Once, however many sets of instruments the process has: each time
 * would add a timer that fires every 10 ms, and a function that runs after each garbage collection, and they never end.
 */
function processRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
    for (const name of MISNAMED) ofProcess.removeSingleMetric(name);
  }
  return ofProcess;
}

export class Instruments {
  readonly #registry = new Registry();
  readonly #ofProcess = processRegistry();

  counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    collect: () => void = () => undefined,
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, collect, registers: [this.#registry] });
  }

  gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    collect: () => void = () => undefined,
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, collect, registers: [this.#registry] });
  }

  histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[], buckets: number[]) {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.#registry] });
  }

  /** The values of all of them now, after those of the process. */
  async snapshot(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    return [...(await this.#ofProcess.getMetricsAsJSON()), ...(await this.#registry.getMetricsAsJSON())];
  }
}

export function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}
