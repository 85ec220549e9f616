/** Last step of a job: adds up the counts, writes the error file, ends the job, and releases the next jobs. */
import { defineStepQueue } from '../define-queue.js';

export const finishJob = defineStepQueue('finish-job', 'bulk', 'finish');
