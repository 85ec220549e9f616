/** The process that executes one step, which another worker process sends: see lone-process.ts. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { answersNewConnections, connectDb } from '../../db/connection.js';
import { watchConnections } from '../../db/connection-watch.js';
import { within } from '../platform/concurrency/within.js';
import { createLogger, describeError, logUncaught } from '../platform/logger.js';
import { openFileStore } from '../platform/open-file-store.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import { guardEventLoop, Progress, Watchdog } from '../platform/watchdog.js';
import { createProducer } from '../queues/producer.js';
import type { WorkerServices } from './context.js';
import { failureOf } from './failure.js';
import type { Handler } from './handler.js';
import { createHandlers } from './index.js';
import { LIFELINE, type LoneAnswer, type LoneStep, STOP } from './lone-process.js';
import { Snooze } from './snooze.js';

/** An atomic job and an export use two each; looking up and recording need some more. */
const CONNECTIONS = 6;
const CLOSED_WITHIN_MS = 1_000;

// The worker decides when this process ends; without the worker, another one executes the step.
process.on('SIGTERM', ignore);
process.on('SIGINT', ignore);
process.on('disconnect', () => process.exit(0));

endFirstWithoutMemory();
const stopping = new AbortController();
const [step] = (await once(process, 'message')) as [LoneStep];
process.on('message', (message) => {
  if (message === STOP) stopping.abort(new Error('the step is to stop'));
});
await answer(await run(step));
process.exit(0);

async function run({ config, queue, payload }: LoneStep): Promise<LoneAnswer> {
  const logger = createLogger('worker', config.logLevel);
  logUncaught(logger, () => process.exit(1));
  // This thread may compute, or wait for a statement, for as long as it likes when the worker has ended.
  guardEventLoop('worker', config.watchdogMs, logger, LIFELINE);
  const progress = new Progress();
  const watch = watchConnections({ url: config.databaseUrl, silenceMs: config.databaseSilenceMs });
  const db = connectDb({
    url: config.databaseUrl,
    poolMax: CONNECTIONS,
    name: 'longshore-worker',
    preparesStatements: config.preparesStatements,
    watch,
    onActivity: progress.advance,
  });
  const producing = openQueueConnection({ ...config, role: 'producer', poolMax: 2, onConnect: watch.add, logger });
  const producer = createProducer(producing, (error) => logger.warn({ err: error }, 'the queue reported an error'));
  const fileStore = openFileStore(config.storage);
  const services: WorkerServices = { config, db, fileStore, producer, logger };
  const databaseAnswers = () => answersNewConnections(config.databaseUrl);
  new Watchdog({ kinds: [progress], limitMs: config.watchdogMs, logger, databaseAnswers }).start();
  const handler = createHandlers()[queue] as Handler<unknown>;
  await answer({ kind: 'begins' });
  try {
    await progress.of(`step ${queue} by itself`, () => handler.run(services, payload, stopping.signal));
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof Snooze) return { kind: 'snoozed', delayMs: error.delayMs };
    // It is logged by the worker, which knows neither the type of the error nor its members.
    return { kind: 'threw', message: describeError(error).stack, failure: await failureOf(services, error) };
  } finally {
    await within(Promise.all([producer.close(), producing.close(), db.destroy()]), CLOSED_WITHIN_MS);
  }
}

/** Has the system end this process rather than the worker when memory is short. Linux only. */
function endFirstWithoutMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system.
  }
}

/** Without the worker that asked for it, the answer has no use. */
function answer(message: LoneAnswer): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, (error) => (error === null ? resolve() : process.exit(0)));
  });
}

function ignore(): void {}
