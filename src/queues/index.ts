/** The table of contents of the system: every queue there is. */
import { applyChunk } from './contracts/apply-chunk.js';
import { finishJob } from './contracts/finish-job.js';
import { planJob } from './contracts/plan-job.js';

export const queues = { planJob, applyChunk, finishJob };
export type Queues = typeof queues;
