/** Waits until the API is ready and all processes run, or until a process has ended too often. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from './launch-error.js';
import { lastLines } from './log-file.js';
import type { SupervisedProcess } from './supervised-process.js';

const POLL_INTERVAL_MS = 50;
const ANSWER_WITHIN_MS = 2_000;
const READY_WITHIN_MS = 60_000;
/** Usually the workers are only starting. If a part stays degraded, the system starts anyway, and /readyz says why. */
const DEGRADED_IS_READY_AFTER_MS = 5_000;
/** A single end may be an accident; a process that ends so often at its start has a permanent error. */
const HOPELESS_AFTER_ENDS = 3;

/**
 * @param options.logs the folder of the processes' logs
 * @throws LaunchError with the end of the log of the process that failed
 */
export async function waitUntilReady(
  address: () => string | undefined,
  processes: readonly SupervisedProcess[],
  { logs, signal }: { logs: string; signal: AbortSignal },
): Promise<void> {
  let degradedSince: number | undefined;
  const allAreReady = async () => {
    const baseUrl = address();
    const status = baseUrl === undefined ? undefined : await readiness(baseUrl);
    if (status === 'degraded') degradedSince ??= performance.now();
    const usable = degradedSince !== undefined && performance.now() - degradedSince >= DEGRADED_IS_READY_AFTER_MS;
    return (status === 'ok' || (status === 'degraded' && usable)) && processes.every((process) => process.isSteady);
  };
  for (const deadline = performance.now() + READY_WITHIN_MS; !(await allAreReady()); await delay(POLL_INTERVAL_MS)) {
    signal.throwIfAborted();
    const hopeless = processes.find((process) => process.endsInARow >= HOPELESS_AFTER_ENDS);
    if (hopeless !== undefined) {
      throw new LaunchError(`The ${hopeless.name} process ends repeatedly: ${tail(logs, hopeless.name)}`);
    }
    if (performance.now() > deadline) {
      const late = processes.find((process) => !process.isSteady)?.name ?? 'web';
      throw new LaunchError(`The ${late} process was not ready after ${READY_WITHIN_MS / 1000} s: ${tail(logs, late)}`);
    }
  }
}

/** The readiness that the API reports; undefined while it does not answer, or is down. */
async function readiness(baseUrl: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(`${baseUrl}/readyz`, { signal, headers: { connection: 'close' } });
    const { status } = (await response.json()) as { status?: string };
    return response.ok ? status : undefined;
  } catch {
    // The API is not listening yet.
    return undefined;
  }
}

function tail(logs: string, name: string): string {
  try {
    return lastLines(join(logs, `${name}.log`), 0);
  } catch {
    // There is no log file, because the output went to a sink.
    return 'see its output';
  }
}
