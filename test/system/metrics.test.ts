/**
 * The metrics of a running system, as a real Prometheus reads them. Each metric that a panel of the dashboard or an alert
 * uses has to move here, and each alert to fire for figures that call for it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setQuotas } from '../../src/domain/access/quota-settings.js';
import { askForExport } from '../support/http/exporting.js';
import { type Answer, answerWith, type Receiver, startReceiver } from '../support/http/receiver.js';
import type { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { webhookBody } from '../support/http/webhook-definition.js';
import { until } from '../support/until.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';
import {
  PROMETHEUS_FILES,
  prometheusIsAvailable,
  promtool,
  skipWithoutPrometheus,
  startTestPrometheus,
  type TestPrometheus,
} from '../support/worlds/test-prometheus.js';

const RULES = join(PROMETHEUS_FILES, 'longshore.rules.yml');
const DASHBOARD = resolve('deploy', 'grafana', 'longshore.json');
/** The files in which metrics are named. */
const USERS = [RULES, DASHBOARD, resolve('deploy', 'kubernetes', 'scaling.yaml')];
const SLOW_MS = 6_000;
/** More than a worker process exports for at a time. */
const EXPORTING_SHOPS = 8;
const WITHIN_MS = 90_000;
const CONTACT = 'a-value-of-a-customer';

describe('the metrics of a running system', function () {
  this.timeout(180_000);
  let world: SystemWorld;
  let store: string;
  let metricsUrl: string;
  let shop: Shop;
  let moved: MovedMetrics;
  let prometheus: TestPrometheus | undefined;
  const receivers: Receiver[] = [];

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longshore-metrics-'));
    store = join(folder, 'files');
    mkdirSync(store);
    world = await startSystemWorld({
      env: {
        METRICS_PORT: '0',
        // The address of the metrics is a line of the log.
        LOG_LEVEL: 'info',
        STORAGE_URL: pathToFileURL(store).href,
        WORKER_DELIVERY_CONCURRENCY: '2',
        WEBHOOK_ENDPOINT_CONCURRENCY: '1',
        WEBHOOK_SCHEDULE_SECONDS: '0,0,0,0,0,0,60',
      },
    });
    const [, url = ''] = /"url":"([^"]+)","msg":"metrics"/.exec(world.logOf('web')) ?? [];
    metricsUrl = `${url}/metrics`;
    shop = await world.newShop();
    moved = new MovedMetrics(async () => (await fetch(metricsUrl)).text());
    await until('the system is measured', () => moved.has(/^longshore_workers_wanted\{/m), WITHIN_MS);
    await moved.begin();
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] } });
    if (prometheusIsAvailable()) prometheus = await startTestPrometheus(metricsUrl);
  });
  after(async () => {
    await prometheus?.stop();
    await world?.stop();
    await Promise.all(receivers.map((receiver) => receiver.stop()));
    rmSync(join(store, '..'), { recursive: true, force: true });
  });

  const row = (sku: string) => ({ sku, nodeName: 'Shelf', attributes: { Title: CONTACT } });
  const file = (...skus: string[]) =>
    `Category Node,SKU,Title\n${skus.map((sku) => `Shelf,${sku},${CONTACT}\n`).join('')}`;
  async function listen(answer: Answer, events: readonly string[]): Promise<void> {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    const target = `${receiver.url}/hook`;
    await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ source: 'CATALOG', events, target }) });
  }

  it('are open on their own port, and on that of the API to operators only', async () => {
    const page = await fetch(metricsUrl);
    assert.match(page.headers.get('content-type') ?? '', /^text\/plain; version=0.0.4/);
    assert.equal((await fetch(new URL('/', metricsUrl))).status, 404);
    assert.equal((await fetch(`${world.system.baseUrl}/metrics`)).status, 401);
    assert.equal((await fetch(`${world.system.baseUrl}/admin/scale`)).status, 401);
    const { status } = await shop.call('GET', '/metrics');
    assert.equal(status, 403);
  });

  it('count what requests, jobs, exports and imports do', async () => {
    const outcome = await shop.importFile('items.csv', `${file('F1', 'F2')}Nowhere,F3,x\n`);
    assert.deepEqual([outcome.created, outcome.failed], [2, 1]);
    await shop.bulk('upsert', [row('B1'), row('B2')]);
    await untilEnded(shop, (await askForExport(shop)).body.jobId);
    await moved.until([
      ...['longshore_requests_total', 'longshore_request_seconds', 'longshore_jobs_total', 'longshore_job_seconds'],
      ...['longshore_rows_total', 'longshore_row_slot_seconds_total', 'longshore_chunk_seconds'],
      ...['longshore_step_seconds', 'longshore_store_seconds', 'longshore_pool_wait_seconds'],
    ]);
    // A worker publishes its figures each second: those of the last job may be in a later page than those of the first.
    const created = /^longshore_rows_total\{type="item",outcome="created",process="worker@/m;
    const areCounted = (page: string) => created.test(page) && figureOf(page, created) >= 4;
    await until('all four rows are counted', async () => areCounted(await moved.page()), WITHIN_MS);
    const page = await moved.page();
    assert.equal(figureOf(page, /^longshore_rows_total\{type="item",outcome="failed",process="worker@/m), 1);
    assert.match(page, /^longshore_requests_total\{route="\/jobs\/:id",method="GET",status="200",process="web@/m);
  });

  it('count what the queue has lost, and steps that have failed for an outage of the store', async () => {
    world.system.kill('worker', 'SIGSTOP');
    const away = `${store}-away`;
    try {
      const sent = await shop.bulk('upsert', [row('L1')], { headers: { prefer: 'respond-async' } });
      const lose = () => world.db('bullmq.job').where({ state: 'waiting' }).delete();
      await until('the queue has lost the job', async () => Number(await lose()) > 0, WITHIN_MS);
      const jobId = await shop.upload('later.csv', file('L2'));
      renameSync(store, away);
      world.system.kill('worker', 'SIGCONT');
      await moved.until(['longshore_redispatches_total', 'longshore_store_failures_total', 'longshore_part_status']);
      renameSync(away, store);
      await moved.until(['longshore_reconciler_rescues_total']);
      await untilEnded(shop, sent.body.jobId ?? sent.body.id);
      assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
    } finally {
      world.system.kill('worker', 'SIGCONT');
    }
  });

  it('show deliveries, open breakers, and that more workers are wanted for slow endpoints', async () => {
    await listen(answerWith(500), ['ITEM_DELETED']);
    await shop.bulk('delete' as 'update', { skus: ['B1'] });
    await moved.until(['longshore_deliveries_total', 'longshore_delivery_seconds', 'longshore_delivery_lag_seconds']);
    await moved.until(['longshore_open_breakers']);
    // An address inside, which no feed may reach.
    const connection = { kind: 'https', url: 'https://127.0.0.1/items.csv' };
    const feed = { name: 'Inside', connection, fileType: 'ITEM_IMPORT' };
    const { id } = await shop.ask('POST', '/feeds', { body: feed });
    await shop.call('POST', `/feeds/${id}/actions/run`);
    await moved.until(['longshore_feeds']);
    assert.equal(figureOf(await moved.page(), /^longshore_feeds\{condition="failing"/m), 1);
    const slow: Answer = (response) => void setTimeout(() => response.writeHead(204).end(), SLOW_MS);
    await listen(slow, ['ITEM_CREATED']);
    await listen(slow, ['ITEM_CREATED']);
    await Promise.all(
      Array.from({ length: 100 }, (_, nth) =>
        shop.bulk('upsert', [row(`S${nth}`)], { headers: { prefer: 'respond-async' } }),
      ),
    );
    await moved.until([
      ...['longshore_due_deliveries', 'longshore_due_slot_seconds', 'longshore_arrival_slots', 'longshore_busy_slots'],
      ...['longshore_workers_wanted', 'longshore_workers_limited', 'longshore_seconds_per_unit'],
    ]);
    const page = await moved.page();
    assert.ok(figureOf(page, /^longshore_workers_wanted\{group="webhook"\}/m) > 1);
    assert.match(page, /^longshore_workers_limited\{group="webhook",by="\w+"\} 1$/m);
  });

  it('say how long the oldest step has waited, when more are due than are executed at a time', async () => {
    const shops = await Promise.all(Array.from({ length: EXPORTING_SHOPS }, () => world.newShop()));
    const asked: { readonly body: { readonly jobId: string } }[] = [];
    await world.db.transaction(async (trx) => {
      // The exports that have begun stand still, so that the others wait for them.
      await trx.raw('LOCK TABLE item IN ACCESS EXCLUSIVE MODE');
      for (const one of shops) asked.push(await askForExport(one));
      const oldest = /^longshore_oldest_step_seconds\{group="export"\}/m;
      await until('exports wait', async () => figureOf(await moved.page(), oldest) > 0, WITHIN_MS);
    });
    for (const [nth, { body }] of asked.entries()) await untilEnded(shops[nth] ?? shop, body.jobId);
  });

  it('answer for all processes, and count the workers of each group', async () => {
    const worker = world.pidOf('worker');
    const living = /^longshore_workers\{group="bulk"\}/m;
    const areLiving = async (count: number) => figureOf(await moved.page(), living) === count;
    // It stands still until it is taken for dead: one that takes its place at that moment would leave the number as it is.
    world.system.kill('worker', 'SIGSTOP');
    await until('no worker lives', () => areLiving(0), WITHIN_MS);
    await moved.until(['longshore_workers']);
    world.system.kill('worker', 'SIGKILL');
    await until('another worker runs', () => hasOther(worker), WITHIN_MS);
    await until('the other worker is counted', () => areLiving(1), WITHIN_MS);
    await moved.until(['longshore_process_info']);
    const page = await moved.page();
    const processes = new Set([...page.matchAll(/process="(\w+)@/g)].map(([, kind]) => kind));
    assert.deepEqual([...processes].sort(), ['web', 'worker']);

    function hasOther(pid: number): boolean {
      const found = world.system.processes.find(({ name }) => name === 'worker')?.pid;
      return found !== undefined && found !== pid;
    }
  });

  it('show the quotas of accounts that have some, and what is used of them', async () => {
    const limited = await world.newShop();
    await setQuotas(world.db, limited.account, { requests: 1_000, stages: 3, uploads: 5 });
    await limited.ask('POST', '/files/product', { body: { fileName: 'open.csv', fileType: 'ITEM_IMPORT' } });
    let page = '';
    const figure = (metric: string, quota: string) =>
      figureOf(page, new RegExp(`^longshore_quota_${metric}\\{account="${limited.account}",quota="${quota}"\\}`, 'm'));
    // The figures may have been measured once between the quotas and the announcement.
    await until(
      'the announced upload is counted',
      async () => {
        page = await moved.page();
        return page.includes(`longshore_quota_used{account="${limited.account}"`) && figure('used', 'uploads') === 1;
      },
      WITHIN_MS,
    );
    assert.equal(figure('limit', 'uploads'), 5);
    assert.deepEqual([figure('limit', 'stages'), figure('limit', 'requests')], [3, 1_000]);
    assert.ok(!page.includes('quota="rows"'), 'only quotas that there are');
  });

  it('say when the database does not give the figures of the other processes', async () => {
    await world.db.transaction(async (trx) => {
      await trx.raw('LOCK TABLE process_snapshot IN ACCESS EXCLUSIVE MODE');
      await moved.until(['longshore_snapshots_readable']);
      assert.equal(figureOf(await moved.page(), /^longshore_snapshots_readable\{/m), 0);
    });
  });

  it('have moved, each that a panel, an alert or an autoscaler uses', async () => {
    const used = [...new Set(USERS.flatMap((file) => metricsIn(readFileSync(file, 'utf8'))))];
    assert.ok(used.length > 25);
    await moved.until(used);
  });

  it('contain nothing of accounts: no value, no token, no address', async () => {
    const page = await moved.page();
    for (const secret of [CONTACT, shop.token, shop.account, '/hook']) assert.ok(!page.includes(secret), secret);
  });

  it('are read by Prometheus, which evaluates all rules without an error', async function () {
    skipWithoutPrometheus(this);
    const { ask } = prometheus ?? assert.fail('Prometheus does not run');
    const { data } = await ask('targets');
    assert.deepEqual(
      data.activeTargets.map(({ health, lastError }: { health: string; lastError: string }) => [health, lastError]),
      [['up', '']],
    );
    const { data: found } = await ask('rules');
    const rules: { name: string; health: string; lastError?: string; annotations: { cure?: string } }[] =
      found.groups.flatMap(({ rules: own }: { rules: unknown[] }) => own);
    assert.ok(rules.length > 20);
    for (const { name, health, lastError, annotations } of rules) {
      assert.equal(health, 'ok', `${name}: ${lastError}`);
      assert.ok((annotations.cure ?? '').length > 20, `${name} names its cure`);
    }
    const { data: rows } = await ask(
      `query?query=${encodeURIComponent('max_over_time(sum(longshore_rows_total)[5m:1s])')}`,
    );
    assert.ok(Number(rows.result[0].value[1]) >= 5);
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const { status, error } = await ask(`query?query=${encodeURIComponent(expr)}`);
        assert.equal(status, 'success', `${title}: ${error}`);
      }
    }
  });

  it('are well formed, and each alert fires for the figures that call for it', async function () {
    skipWithoutPrometheus(this);
    const checked = promtool(['check', 'config', join(PROMETHEUS_FILES, 'prometheus.yml')]);
    assert.equal(checked.status, 0, checked.said);
    const metrics = promtool(['check', 'metrics'], await moved.page());
    assert.equal(metrics.status, 0, metrics.said);
    const tested = promtool(['test', 'rules', join(PROMETHEUS_FILES, 'longshore.rules.test.yml')]);
    assert.equal(tested.status, 0, tested.said);
    const cases = readFileSync(join(PROMETHEUS_FILES, 'longshore.rules.test.yml'), 'utf8');
    for (const [, alert] of readFileSync(RULES, 'utf8').matchAll(/alert: (\w+)/g)) {
      assert.ok(cases.includes(`alertname="${alert}"`), `${alert} is tested`);
    }
  });
});

/** The names of metrics in the text of rules, of a dashboard or of an autoscaler. */
function metricsIn(text: string): string[] {
  const expressions = [...text.matchAll(/"?(?:expr|query)"?: (.*)/g)]
    .map(([, expression]) => expression ?? '')
    .join('\n');
  return [...expressions.matchAll(/\b(?:longshore|nodejs|process)_\w+/g)].map(([name]) => nameOf(name));
}

function nameOf(series: string): string {
  return series.replace(/_(bucket|sum|count)$/, '');
}

function figureOf(page: string, series: RegExp): number {
  const match = series.exec(page);
  assert.ok(match !== null, `there is no ${series}`);
  const line = page.slice(match.index).split('\n', 1)[0] ?? '';
  return Number(line.slice(line.lastIndexOf(' ')));
}

/** Reads the page again and again, and knows which metrics have had more than one value. */
class MovedMetrics {
  readonly #values = new Map<string, string>();
  readonly #moved = new Set<string>();
  #isFirst = true;

  constructor(readonly page: () => Promise<string>) {}

  async has(pattern: RegExp): Promise<boolean> {
    return pattern.test(await this.#read());
  }

  /** What is there now has not moved. */
  async begin(): Promise<void> {
    this.#values.clear();
    this.#moved.clear();
    this.#isFirst = true;
    await this.#read();
  }

  async until(names: readonly string[]): Promise<void> {
    const missing = () => names.filter((name) => !this.#moved.has(name));
    const all = async () => {
      await this.#read();
      return missing().length === 0;
    };
    await until('metrics have moved', all, WITHIN_MS).catch((error: Error) => {
      throw new Error(`${error.message}: ${missing().join(', ')}`);
    });
  }

  async #read(): Promise<string> {
    const page = await this.page();
    for (const [, series = '', value = ''] of page.matchAll(/^([a-z]\w*(?:\{.*\})?) (\S+)$/gm)) {
      const before = this.#values.get(series);
      this.#values.set(series, value);
      // A series that appears later has counted something since.
      const hasMoved = before === undefined ? !this.#isFirst && Number(value) !== 0 : before !== value;
      if (hasMoved) this.#moved.add(nameOf(series.replace(/\{.*/, '')));
    }
    this.#isFirst = false;
    return page;
  }
}
