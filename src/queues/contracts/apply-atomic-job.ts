/** Second step of an atomic job: applies all its chunks in one transaction. */
import { defineStepQueue } from '../define-queue.js';

export const applyAtomicJob = defineStepQueue('apply-whole-job', 'bulk', 'whole');
