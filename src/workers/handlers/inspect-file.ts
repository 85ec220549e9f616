/** Inspects a file. */
import { INSPECTION_JOB } from '../../domain/proposals/model/inspection-job.js';
import { runInspection } from '../../domain/proposals/run-inspection.js';
import type { AfterStep } from '../handler.js';
import { oneStepHandler } from '../one-step-handler.js';

export function inspectFileHandler(after: AfterStep) {
  return oneStepHandler(after, 'inspect', INSPECTION_JOB, runInspection);
}
