/** How an attempt ends, and what follows. */
import type { OutboxEntry } from '../../../queues/outbox.js';

/** An outbox entry to be enqueued, and its delay. */
export interface Following {
  readonly entry: OutboxEntry;
  readonly delayMs: number;
}

/** How an attempt ends. */
export type AttemptEnd =
  /** The attempt is recorded, or is not needed any more. `following` is to be enqueued. */
  | { readonly kind: 'done'; readonly following: readonly Following[] }
  /** The delivery has to wait. This does not count as an attempt. */
  | { readonly kind: 'snooze'; readonly delayMs: number }
  /** The process stops before the result is known: another worker makes the attempt. This does not count as one. */
  | { readonly kind: 'handed-back' };

export const NOTHING_FOLLOWS: AttemptEnd = { kind: 'done', following: [] };
