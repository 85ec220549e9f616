/** How an attempt ends. */
import type { Following } from './attempt-recorder.js';

export type AttemptEnd =
  /** It is over, and recorded; this follows. */
  | { readonly kind: 'done'; readonly following: readonly Following[] }
  /** Its turn has not come. No attempt was spent. */
  | { readonly kind: 'put-off'; readonly delayMs: number }
  /** We were told to stop, and nothing is known of it: somebody else is to make it. No attempt was spent. */
  | { readonly kind: 'handed-back' };
