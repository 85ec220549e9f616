/** Maps queues to their handlers. A queue without a handler, or with that of another queue, does not compile. */
import type { Queues } from '../queues/index.js';
import type { HandlerOf } from './handler.js';
import { applyAtomicJobHandler } from './handlers/apply-atomic-job.js';
import { applyChunkHandler } from './handlers/apply-chunk.js';
import { deliverBatchHandler } from './handlers/deliver-batch.js';
import { deliverWebhookHandler } from './handlers/deliver-webhook.js';
import { exportJobHandler } from './handlers/export-job.js';
import { fanOutEventHandler } from './handlers/fan-out-event.js';
import { finishJobHandler } from './handlers/finish-job.js';
import { planBatchHandler, planJobHandler } from './handlers/plan-job.js';
import { replayDeliveriesHandler } from './handlers/replay-deliveries.js';

export const handlers = {
  planJob: planJobHandler,
  planBatch: planBatchHandler,
  applyChunk: applyChunkHandler,
  applyAtomicJob: applyAtomicJobHandler,
  finishJob: finishJobHandler,
  fanOutEvent: fanOutEventHandler,
  replayDeliveries: replayDeliveriesHandler,
  exportJob: exportJobHandler,
  deliverBatch: deliverBatchHandler,
  deliverWebhook: deliverWebhookHandler,
  redeliverWebhook: deliverWebhookHandler,
} satisfies { [K in keyof Queues]: HandlerOf<Queues[K]> };
