/** The page that Prometheus reads: the metrics of this process, of all others that live, and of the system. */
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { readSnapshots } from '../../db/process-snapshots.js';
import { within } from '../platform/concurrency/within.js';
import { answerMetrics, type Measured, metricsPage, PAGE_TYPE } from '../platform/metrics/metrics-page.js';
import { WORKERS_METRIC, workersMetric } from '../platform/metrics/system-figures.js';
import { oneAtATime } from './limits/one-at-a-time.js';
import { listen, type RunningServer } from './server.js';
import type { ApiServices } from './services.js';

/** How long the page waits for the database. Without it, it shows the metrics of this process. */
const READ_WITHIN_MS = 2_000;
/** Figures of the system that are older are not shown: nobody measures it at present. */
const SYSTEM_MAX_SECONDS = 60;
const WORKER_GROUPS = ['bulk', 'export', 'webhook', 'maintenance'];
const PATH = '/metrics';

type PageServices = Pick<ApiServices, 'db' | 'metrics' | 'readiness' | 'logger'>;

/** Makes the page. */
export async function makeMetricsPage({ db, metrics, readiness, logger }: PageServices): Promise<string> {
  const reading = readSnapshots(db).catch((error: unknown) => {
    logger.debug({ err: error }, 'the metrics of other processes could not be read');
    return null;
  });
  const read = (await within(reading, READ_WITHIN_MS)) ? await reading : null;
  const system = read?.system ?? null;
  const own = [...(await metrics.snapshot()), ...(await answerMetrics(read !== null, system?.ageSeconds))];
  const measured: Measured[] = [{ process: nameOf('web', hostname(), process.pid), metrics: own }];
  for (const one of read?.processes ?? []) {
    if (one.id === readiness.processId) continue;
    const kind = one.groups.includes('web') ? 'web' : 'worker';
    measured.push({ process: nameOf(kind, one.host, one.pid), metrics: JSON.parse(one.metrics) });
  }
  if (read !== null) measured.push({ process: null, metrics: await workersMetric(servedBy(read.processes)) });
  if (system !== null && system.ageSeconds <= SYSTEM_MAX_SECONDS) {
    const metrics: Measured['metrics'] = JSON.parse(system.metrics);
    // The leader counts workers for web processes of the previous release.
    measured.push({ process: null, metrics: metrics.filter(({ name }) => name !== WORKERS_METRIC) });
  }
  return metricsPage(measured);
}

/** How many living processes serve each group: known without a leader of maintenance. */
function servedBy(processes: readonly { readonly groups: readonly string[] }[]): ReadonlyMap<string, number> {
  const count = (group: string) => processes.filter(({ groups }) => groups.includes(group)).length;
  return new Map(WORKER_GROUPS.map((group) => [group, count(group)]));
}

/** The label of a process. */
function nameOf(kind: string, host: string, pid: number): string {
  return `${kind}@${host}:${pid}`;
}

/** Answers the page on a port of its own, without a token. @returns null: METRICS_PORT is not set */
export async function startMetricsServer(services: ApiServices): Promise<RunningServer | null> {
  const { host, metricsPort: port } = services.config;
  if (port === undefined) return null;
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*/, '');
    if (path !== PATH || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    makeMetricsPage(services).then(
      (page) => response.writeHead(200, { 'Content-Type': PAGE_TYPE, 'Cache-Control': 'no-store' }).end(page),
      (error: unknown) => {
        services.logger.error({ err: error }, 'the metrics could not be shown');
        response.writeHead(500).end();
      },
    );
  });
  oneAtATime(server);
  return listen(server, { host, port, variable: 'METRICS_PORT' });
}
