/** How the figures of several processes become one page for Prometheus. */
import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';

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
