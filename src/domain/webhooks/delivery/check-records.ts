/** Checks the invariants of a batch of attempts before it is recorded. */
import { invariant } from '../../kernel/invariant.js';
import type { AttemptRecord } from './judge-attempt.js';
import type { LoadedDelivery } from './load-deliveries.js';

/** A delivery as it was loaded, and the record to be written. */
export interface CheckedRecord {
  readonly delivery: Pick<LoadedDelivery, 'id' | 'dispatch' | 'attempts' | 'roundStart'>;
  readonly record: Pick<AttemptRecord, 'id' | 'dispatch' | 'status' | 'delayMs'> & {
    readonly made: { readonly attempt: number } | null;
  };
}

/**
 * Asserts that each delivery has one outcome per fencing token, that its attempts are counted one by one, that it has a
 * delay if and only if it is PENDING, and that it waits for another attempt only if its schedule has one.
 * @param schedule the maximum number of attempts in a round
 * @throws InvariantViolation
 */
export function checkRecords(batch: readonly CheckedRecord[], schedule: number): void {
  const seen = new Set<string>();
  for (const { delivery, record } of batch) {
    const owner = `delivery ${delivery.id}`;
    const outcome = `${record.id} ${record.dispatch}`;
    invariant(!seen.has(outcome), owner, () => `it has two outcomes under the fencing token ${record.dispatch}`);
    seen.add(outcome);
    invariant(record.id === delivery.id, owner, () => `its outcome is recorded for ${record.id}`);
    invariant(record.dispatch === delivery.dispatch, owner, () => `its fencing token became ${record.dispatch}`);
    const waits = record.status === 'PENDING';
    invariant(
      waits === (record.delayMs !== null),
      owner,
      () => `it is ${record.status} and waits ${record.delayMs} ms`,
    );
    if (record.made === null) continue;
    const { attempt } = record.made;
    invariant(attempt === delivery.attempts + 1, owner, () => `attempt ${attempt} follows ${delivery.attempts}`);
    const ofRound = attempt - delivery.roundStart;
    invariant(!waits || ofRound < schedule, owner, () => `it waits after ${ofRound} attempts of ${schedule}`);
  }
}
