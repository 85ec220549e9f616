/** Maps queues to their handlers. A queue without a handler, or with that of another queue, does not compile. */
import { MADE_ROWS } from '../domain/imports/jobs-with-made-rows.js';
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
  const runInline = inlineExecution(afterStep, MADE_ROWS);
  return {
    planJob: planJobHandler(afterStep, runInline, MADE_ROWS),
    planBatch: planBatchHandler(afterStep),
    applyChunk: applyChunkHandler(afterStep, MADE_ROWS),
    applyAtomicJob: applyAtomicJobHandler(afterStep, runInline, MADE_ROWS),
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
