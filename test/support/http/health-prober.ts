/** Asks an API again and again whether it is alive, from a thread of its own so that a busy test does not delay the answers. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Health {
  readonly answers: number;
  /** The longest that an answer took. A connection that fails counts as never. */
  readonly longestMs: number;
}

export interface HealthProber {
  /** Ends the asking. @returns what came of it */
  stop(): Promise<Health>;
}

/** Begins to ask `/healthz`, ten times a second or more, on a new connection each time. */
export async function startHealthProber(baseUrl: string): Promise<HealthProber> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { baseUrl } });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', (health: Health) => resolve(health)).once('error', reject);
        worker.postMessage('stop');
      }),
  };
}

async function probe(baseUrl: string): Promise<void> {
  let stopped = false;
  parentPort?.once('message', () => {
    stopped = true;
  });
  // The first answer is the prober's own warming up.
  await isAlive(baseUrl);
  parentPort?.postMessage('begun');
  let answers = 0;
  let longestMs = 0;
  while (!stopped) {
    const askedAt = performance.now();
    longestMs = Math.max(longestMs, (await isAlive(baseUrl)) ? performance.now() - askedAt : Number.POSITIVE_INFINITY);
    answers += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  parentPort?.postMessage({ answers, longestMs } satisfies Health);
}

async function isAlive(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { headers: { connection: 'close' } });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

if (!isMainThread) await probe((workerData as { baseUrl: string }).baseUrl);
