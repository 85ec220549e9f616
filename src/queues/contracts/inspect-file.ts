/** Inspects one uploaded file. */
import { defineStepQueue } from '../define-queue.js';

export const inspectFile = defineStepQueue('inspect-file', 'export', 'inspect');
