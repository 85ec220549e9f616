import assert from 'node:assert/strict';
import { AccountTurns, type QueuedBatch } from '../../../../../../src/domain/webhooks/delivery/slots/account-turns.js';
import { SharedLimit } from '../../../../../../src/platform/limits/shared-limit.js';

const IN_FLIGHT = 100;
const BATCH = 50;

function turns(): AccountTurns {
  const limits = { alone: IN_FLIGHT, contended: IN_FLIGHT, least: 4 };
  return new AccountTurns({ inFlight: IN_FLIGHT, ofAccount: new SharedLimit({ ...limits, utilization: () => 1 }) });
}

async function isResolved(promise: unknown): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) !== pending;
}

describe('accounts take turns', () => {
  it('for loading batches: one with many that wait does not keep another from it', async () => {
    const all = turns();
    const begun = [];
    for (let number = 0; number < 60; number++) begun.push(all.load('many'));
    const loading = begun.filter((turn): turn is QueuedBatch => !('then' in turn));
    assert.equal(loading.length, 40, 'those of an account are loaded until there are many');
    for (const queued of loading) queued.loaded(BATCH);
    const other = all.load('other');
    assert.ok(!('then' in other), 'the other account waits');
    other.loaded(1);
    other.leave();
    const next = begun.find((turn) => 'then' in turn);
    assert.equal(await isResolved(next), false);
    for (let left = 0; left < BATCH; left++) loading[0]?.leave();
    assert.equal(await isResolved(next), true, 'its next batch is loaded when one of its own has ended');
  });

  it('for loading batches: one that is alone loads as many small ones as can be in flight', () => {
    const all = turns();
    for (let number = 0; number < IN_FLIGHT; number++) {
      const queued = all.load('alone');
      assert.ok(!('then' in queued), `batch ${number} waits`);
      queued.loaded(1);
    }
    assert.ok('then' in all.load('alone'));
  });

  it('for places: slow batches of one leave some to others, and what has no place is snoozed', () => {
    const all = turns();
    const held = [];
    for (let number = 0; number < IN_FLIGHT; number++) {
      const taken = all.place('slow');
      if ('then' in taken || taken.kind === 'full') break;
      held.push(taken);
    }
    assert.equal(held.length, 75);
    const other = all.place('other');
    assert.ok(!('then' in other) && other.kind === 'taken');
    for (const one of held.slice(25)) one.release();
    const more = all.place('slow');
    assert.ok('then' in more || more.kind === 'full', 'beside others an account has a quarter of the places');
  });

  it('for fan-outs: one at a time beside others, and never those of others', () => {
    const all = turns();
    const isTaken = (account: string) => {
      const turn = all.fanOut(account);
      return !('then' in turn) && turn.kind === 'taken';
    };
    assert.deepEqual([isTaken('a'), isTaken('a'), isTaken('a')], [true, true, false]);
    assert.deepEqual([isTaken('b'), isTaken('b')], [true, false]);
  });

  it('for fan-outs: the next page waits for deliveries of its account, for a moment, and for no others', async () => {
    const all = turns();
    const queued = all.load('a');
    assert.ok(!('then' in queued));
    queued.loaded(IN_FLIGHT);
    assert.equal(await isResolved(all.untilFewWait('a')), true, 'an account that is alone does not wait');
    all.place('a');
    all.place('b');
    const few = all.untilFewWait('a');
    assert.equal(await isResolved(few), false);
    assert.equal(await isResolved(all.untilFewWait('b')), true);
    for (let left = 0; left < IN_FLIGHT; left++) queued.leave();
    assert.equal(await isResolved(few), true);
  });
});
