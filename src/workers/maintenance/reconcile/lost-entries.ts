/** Which outbox entries the queue has lost. */
import { isEntryPending, type OutboxEntry } from '../../../queues/outbox.js';
import type { Run } from './run.js';

/** Entries that are looked up on the queue at the same time. */
const CHECKED_AT_ONCE = 50;

/**
 * Returns those that the queue does not have.
 * @param entryOf what the queue should have of one of them: deliveries of one batch share a queue job
 */
export async function lostOf<Due>(
  { producer, progress }: Run,
  overdue: readonly Due[],
  entryOf: (due: Due) => OutboxEntry,
): Promise<readonly Due[]> {
  const keyOf = (due: Due) => JSON.stringify(entryOf(due));
  const entries = [...new Map(overdue.map((due) => [keyOf(due), entryOf(due)]))];
  const pending = new Set<string>();
  for (let from = 0; from < entries.length; from += CHECKED_AT_ONCE) {
    const checked = entries.slice(from, from + CHECKED_AT_ONCE);
    const answers = await Promise.all(checked.map(([, entry]) => isEntryPending(producer, entry)));
    progress();
    for (const [index, [key]] of checked.entries()) if (answers[index] === true) pending.add(key);
  }
  return overdue.filter((due) => !pending.has(keyOf(due)));
}
