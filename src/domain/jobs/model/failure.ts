/** How a step or a chunk fails. */

/** How a step failed. Workers decide which it was. */
export type Failure =
  | { readonly kind: 'error'; readonly reason: 'INTERNAL_ERROR' | 'FILE_MISSING' }
  /** A part of the system does not serve. `lasting`: no step is the reason; the part did not answer afterwards either. */
  | { readonly kind: 'outage'; readonly part: string; readonly lasting: boolean }
  /** The process ended in which nothing else ran. `how`: the signal or the exit code. */
  | { readonly kind: 'death'; readonly how: string };
