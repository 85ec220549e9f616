/** The table of contents of the system: every queue there is. */
import { applyChunk } from './contracts/apply-chunk.js';
import { fanOutEvent } from './contracts/fan-out-event.js';
import { finishJob } from './contracts/finish-job.js';
import { planJob } from './contracts/plan-job.js';

export const queues = { planJob, applyChunk, finishJob, fanOutEvent };
export type Queues = typeof queues;
