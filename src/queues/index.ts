/** All queues of the system. */

import { applyAtomicJob } from './contracts/apply-atomic-job.js';
import { applyChunk } from './contracts/apply-chunk.js';
import { deliverBatch } from './contracts/deliver-batch.js';
import { deliverWebhook } from './contracts/deliver-webhook.js';
import { exportJob } from './contracts/export-job.js';
import { fanOutEvent } from './contracts/fan-out-event.js';
import { feedRun } from './contracts/feed-run.js';
import { finishJob } from './contracts/finish-job.js';
import { inspectFile } from './contracts/inspect-file.js';
import { planBatch } from './contracts/plan-batch.js';
import { planJob } from './contracts/plan-job.js';
import { redeliverWebhook } from './contracts/redeliver-webhook.js';
import { replayDeliveries } from './contracts/replay-deliveries.js';

export const queues = {
  planJob,
  planBatch,
  applyChunk,
  applyAtomicJob,
  finishJob,
  exportJob,
  inspectFile,
  feedRun,
  fanOutEvent,
  deliverBatch,
  deliverWebhook,
  redeliverWebhook,
  replayDeliveries,
};
export type Queues = typeof queues;
