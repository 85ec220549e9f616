/** Inspects a file. */
import { runInspection } from '../../domain/proposals/run-inspection.js';
import type { AfterStep } from '../handler.js';
import { oneStepHandler } from '../one-step-handler.js';

export function inspectFileHandler(after: AfterStep) {
  return oneStepHandler(after, 'inspect', runInspection);
}
