/** Checks the invariants of a batch of attempts before it is recorded. */
import { InvariantViolation } from '../../../kernel/invariant.js';
import type { LoadedDelivery } from '../loaded-delivery.js';
import type { AttemptRecord } from './record-attempts.js';

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
  // Most batches have one outcome of each delivery. The text of a violation is made when there is one.
  const seen = new Set<string>();
  for (const { delivery, record } of batch) {
    const { id, dispatch, made } = record;
    if (seen.has(id)) checkTokens(batch, id);
    seen.add(id);
    if (id !== delivery.id) throw violation(delivery.id, `its outcome is recorded for ${id}`);
    if (dispatch !== delivery.dispatch) throw violation(id, `its fencing token became ${dispatch}`);
    const waits = record.status === 'PENDING';
    if (waits !== (record.delayMs !== null)) {
      throw violation(id, `it is ${record.status} and waits ${record.delayMs} ms`);
    }
    if (made === null) continue;
    if (made.attempt !== delivery.attempts + 1) {
      throw violation(id, `attempt ${made.attempt} follows ${delivery.attempts}`);
    }
    const ofRound = made.attempt - delivery.roundStart;
    if (waits && ofRound >= schedule) throw violation(id, `it waits after ${ofRound} attempts of ${schedule}`);
  }
}

/** Two outcomes of a delivery in one batch have different fencing tokens. @throws InvariantViolation */
function checkTokens(batch: readonly CheckedRecord[], id: string): void {
  const tokens = new Set<number>();
  for (const { record } of batch) {
    if (record.id !== id) continue;
    if (tokens.has(record.dispatch)) {
      throw violation(id, `it has two outcomes under the fencing token ${record.dispatch}`);
    }
    tokens.add(record.dispatch);
  }
}

function violation(id: string, message: string): InvariantViolation {
  return new InvariantViolation(`delivery ${id}: ${message}`);
}
