/** Brings the files of one feed. */
import { defineStepQueue } from '../define-queue.js';

export const feedRun = defineStepQueue('feed-run', 'export', 'feed');
