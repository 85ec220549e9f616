import assert from 'node:assert/strict';
import { InvariantViolation } from '../../../../../../src/domain/kernel/invariant.js';
import {
  type CheckedRecord,
  checkRecords,
} from '../../../../../../src/domain/webhooks/delivery/record/check-records.js';

const SCHEDULE = 4;
const DELIVERY = { id: 'd1', dispatch: 3, attempts: 6, roundStart: 5 };
const DELIVERED: CheckedRecord = {
  delivery: DELIVERY,
  record: { id: 'd1', dispatch: 3, status: 'DELIVERED', delayMs: null, made: { attempt: 7 } },
};
const WAITING = withRecord({ status: 'PENDING', delayMs: 5_000 });

describe('the check of a batch of attempts', () => {
  it('passes what was delivered, waits, failed for good, was cancelled or put back', () => {
    const others = [
      withRecord({ status: 'PENDING', delayMs: 5_000 }),
      withRecord({ status: 'DEAD' }),
      withRecord({ status: 'CANCELLED', made: null }),
      withRecord({ status: 'PENDING', delayMs: 0, made: null }),
    ].map((record, index) => withId(record, `d${index + 2}`));
    checkRecords([DELIVERED, ...others], SCHEDULE);
  });

  it('passes a delivery that another fencing token took over meanwhile', () => {
    const { delivery, record } = DELIVERED;
    checkRecords([WAITING, { delivery: { ...delivery, dispatch: 4 }, record: { ...record, dispatch: 4 } }], SCHEDULE);
  });

  for (const [what, batch, message] of [
    ['two outcomes of one delivery', [WAITING, DELIVERED], 'delivery d1: it has two outcomes'],
    ['the outcome of another', [withRecord({ id: 'd2' })], 'delivery d1: its outcome is recorded for d2'],
    ['a fencing token that is not the one it was loaded with', [withRecord({ dispatch: 2 })], 'token became 2'],
    ['one that waits for nothing', [withRecord({ status: 'PENDING' })], 'it is PENDING and waits null ms'],
    ['one that is delivered and waits', [withRecord({ delayMs: 5 })], 'it is DELIVERED and waits 5 ms'],
    ['an attempt that is counted twice', [withRecord({ made: { attempt: 6 } })], 'attempt 6 follows 6'],
    ['an attempt beyond the schedule', [lastOfRound(WAITING)], 'it waits after 4 attempts of 4'],
  ] as const) {
    it(`finds ${what}`, () => {
      const isViolation = (error: unknown) => error instanceof InvariantViolation && error.message.includes(message);
      assert.throws(() => checkRecords(batch, SCHEDULE), isViolation);
    });
  }
});

function withRecord(changed: Partial<CheckedRecord['record']>): CheckedRecord {
  return { delivery: DELIVERY, record: { ...DELIVERED.record, ...changed } };
}

function withId({ delivery, record }: CheckedRecord, id: string): CheckedRecord {
  return { delivery: { ...delivery, id }, record: { ...record, id } };
}

/** As after the last attempt that the schedule has. */
function lastOfRound({ delivery, record }: CheckedRecord): CheckedRecord {
  return { delivery: { ...delivery, roundStart: delivery.attempts + 1 - SCHEDULE }, record };
}
