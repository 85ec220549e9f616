/** One run of the reconciler. */
import type { WorkerServices } from '../../context.js';

export interface Run extends WorkerServices {
  progress(): void;
}
