/** First step of a job: finds its chunks. A job of a single chunk is planned, applied and finished in this one step. */
import { defineStepQueue } from '../define-queue.js';

export const planJob = defineStepQueue('plan-job', 'bulk', 'plan');
