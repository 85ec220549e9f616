/** Prometheus as Debian packages it: reads the metrics of a running system, and evaluates the rules in deploy/. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { guardAgainstOurDeath } from '../../../src/launcher/death-guard.js';
import { until } from '../until.js';
import { findProgram } from './find-program.js';
import { reservePort } from './reserved-port.js';
import { testEnvironment } from './test-environment.js';

/** The files that are deployed. */
export const PROMETHEUS_FILES = resolve('deploy', 'prometheus');
const READY_WITHIN_MS = 30_000;

export interface TestPrometheus {
  /** Asks its API; `path` follows `/api/v1/`. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests know the answers of Prometheus.
  ask(path: string): Promise<any>;
  stop(): Promise<void>;
}

/** Whether there is a Prometheus here. */
export function prometheusIsAvailable(): boolean {
  return findProgram('prometheus') !== undefined && findProgram('promtool') !== undefined;
}

/** Skips a test where there is no Prometheus. @throws where REQUIRE_PROMETHEUS says that there must be one */
export function skipWithoutPrometheus(test: Mocha.Context): void {
  if (prometheusIsAvailable()) return;
  if (testEnvironment().requirePrometheus) {
    throw new Error('REQUIRE_PROMETHEUS=1 and no prometheus was found: apt-get install prometheus');
  }
  test.skip();
}

/** Runs promtool. @param input for its standard input */
export function promtool(
  args: readonly string[],
  input = '',
): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(findProgram('promtool') ?? '', args, { input, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

/** Starts a Prometheus with the deployed configuration, but for its target and its pace. @param target of the metrics */
export async function startTestPrometheus(target: string): Promise<TestPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-prometheus-'));
  const port = await reservePort();
  const config = readFileSync(join(PROMETHEUS_FILES, 'prometheus.yml'), 'utf8')
    .replaceAll('_interval: 15s', '_interval: 1s')
    .replace('- longshore.rules.yml', `- ${join(PROMETHEUS_FILES, 'longshore.rules.yml')}`);
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const targets = readFileSync(join(PROMETHEUS_FILES, 'targets.yml'), 'utf8');
  writeFileSync(join(folder, 'targets.yml'), targets.replace('localhost:9464', new URL(target).host));
  const child = spawn(
    findProgram('prometheus') ?? '',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const guard = child.pid === undefined ? undefined : guardAgainstOurDeath(child.pid);
  const base = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${base}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('Prometheus is ready', isReady, READY_WITHIN_MS);
  return {
    ask: async (path) => (await (await fetch(`${base}/api/v1/${path}`)).json()) as unknown,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      guard?.dismiss();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
