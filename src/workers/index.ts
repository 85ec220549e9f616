/** Maps queues to their handlers. A queue without a handler, or with that of another queue, does not compile. */
import { planFileJob } from '../domain/imports/plan-file-job.js';
import { ROWS_OF_JOBS } from '../domain/imports/rows-of-jobs.js';
import type { Queues } from '../queues/index.js';
import * as afterStep from './after-step.js';
import type { HandlerOf } from './handler.js';
import { applyAtomicJobHandler } from './handlers/apply-atomic-job.js';
import { applyChunkHandler } from './handlers/apply-chunk.js';
import { deliverBatchHandler } from './handlers/deliver-batch.js';
import { deliverWebhookHandler } from './handlers/deliver-webhook.js';
import { exportJobHandler } from './handlers/export-job.js';
import { fanOutEventHandler } from './handlers/fan-out-event.js';
import { finishJobHandler } from './handlers/finish-job.js';
import { inspectFileHandler } from './handlers/inspect-file.js';
import { planBatchHandler } from './handlers/plan-batch.js';
import { planJobHandler } from './handlers/plan-job.js';
import { replayDeliveriesHandler } from './handlers/replay-deliveries.js';
import { runFeedHandler } from './handlers/run-feed.js';
import { inlineExecution } from './inline-execution.js';

/** Makes the handlers of a process. */
export function createHandlers() {
  const runInline = inlineExecution(afterStep, ROWS_OF_JOBS);
  return {
    planJob: planJobHandler(afterStep, ROWS_OF_JOBS, { planFile: planFileJob, runInline }),
    planBatch: planBatchHandler(afterStep, ROWS_OF_JOBS),
    applyChunk: applyChunkHandler(afterStep, ROWS_OF_JOBS),
    applyAtomicJob: applyAtomicJobHandler(afterStep, runInline, ROWS_OF_JOBS),
    finishJob: finishJobHandler(afterStep),
    fanOutEvent: fanOutEventHandler(afterStep),
    replayDeliveries: replayDeliveriesHandler(afterStep),
    exportJob: exportJobHandler(afterStep),
    inspectFile: inspectFileHandler(afterStep),
    feedRun: runFeedHandler(afterStep),
    deliverBatch: deliverBatchHandler(afterStep),
    deliverWebhook: deliverWebhookHandler(afterStep),
    redeliverWebhook: deliverWebhookHandler(afterStep),
  } satisfies { [K in keyof Queues]: HandlerOf<Queues[K]> };
}
