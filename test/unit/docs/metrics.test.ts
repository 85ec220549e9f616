/** The page about metrics names all that there are, with their meaning, and all alerts; and its plot is current. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { answerMetrics } from '../../../src/platform/metrics/metrics-page.js';
import { systemMetrics } from '../../../src/platform/metrics/system-figures.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { SCENARIOS, simulateDay } from '../../support/models/simulated-day.js';

const ROOT = new URL('../../../../', import.meta.url);
const textOf = (path: string) => readFile(fileURLToPath(new URL(path, ROOT)), 'utf8');

describe('the page about metrics', () => {
  let page: string;
  before(async () => {
    page = await textOf('docs/run/metrics.md');
  });

  /** The rows of the table that follows a marker, as cells. */
  function documented(table: string): string[][] {
    const [, text] = new RegExp(`<!-- ${table} -->\\n\\n((?:\\|.*\\n)+)`).exec(page) ?? [];
    assert.ok(text !== undefined, `the page has no table ${table}`);
    const [, , ...rows] = text.trim().split('\n');
    return rows
      .map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', '')))
      .map(([, ...cells]) => cells);
  }

  it('explains each metric of a process', async () => {
    const metrics = new Metrics();
    metrics.watchPool({ numUsed: () => 0, numFree: () => 0, numPendingAcquires: () => 0, on: () => undefined }, 1);
    metrics.watchParts(() => ({}));
    const all = [...(await metrics.snapshot()), ...(await answerMetrics(true, 1))];
    const own = all.filter(({ name }) => name.startsWith('longshore_'));
    assert.deepEqual(meaningsOf(documented('process-metrics')), own.map(({ name, help }) => `${name}: ${help}`).sort());
  });

  it('explains each metric of the system', async () => {
    const figures = new Proxy({}, { get: () => [] }) as Parameters<typeof systemMetrics>[0];
    const all = await systemMetrics(figures);
    assert.deepEqual(meaningsOf(documented('system-metrics')), all.map(({ name, help }) => `${name}: ${help}`).sort());
  });

  it('has each alert with its cure', async () => {
    const rules = await textOf('deploy/prometheus/longshore.rules.yml');
    const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    const rows = documented('alerts');
    assert.deepEqual(
      rows.map(([name]) => name),
      alerts,
    );
    assert.ok(rows.every(([, cure = '']) => cure.length > 20));
  });

  it('has a plot of the scaling as it is now', async () => {
    const { plotDays } = (await import(new URL('scripts/plot-scaling.mjs', ROOT).href)) as {
      plotDays: (days: readonly unknown[]) => string;
    };
    const days = SCENARIOS.map((scenario) => ({ name: scenario.name, moments: simulateDay(scenario) }));
    assert.ok(
      (await textOf('docs/run/scaling.svg')) === plotDays(days),
      'run: node scripts/plot-scaling.mjs docs/run/scaling.svg',
    );
  });
});

function meaningsOf(rows: readonly string[][]): string[] {
  return rows.map(([name, , , meaning]) => `${name}: ${meaning}`).sort();
}
