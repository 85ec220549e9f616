/** Writes the file of one export, from beginning to end. */
import { defineStepQueue } from '../define-queue.js';

export const exportJob = defineStepQueue('export-job', 'export', 'export');
