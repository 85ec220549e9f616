import assert from 'node:assert/strict';
import { type BodyLease, createBodyBudget } from '../../../../src/api/limits/body-budget.js';

describe('the body budget', () => {
  const budgetOf = (bytes: number) => {
    const budget = createBodyBudget(bytes);
    const refused: string[] = [];
    const lease = (holder: string, name = holder): BodyLease => budget.lease(holder, () => refused.push(name));
    return { budget, refused, lease };
  };

  it('lets one holder use all of it, and refuses what does not fit beside that', () => {
    const { budget, lease } = budgetOf(100);
    lease('a').grow(60);
    const second = lease('a');
    second.grow(40);
    assert.throws(() => second.grow(1), { kind: 'unavailable', retryAfterSeconds: 2 });
    assert.equal(budget.usedBytes(), 100);
  });

  it('takes back once, however often a lease is released', () => {
    const { budget, lease } = budgetOf(100);
    const held = lease('a');
    held.grow(30);
    held.release();
    held.release();
    held.grow(50);
    assert.equal(budget.usedBytes(), 0);
  });

  it('refuses the largest arriving body of the holder that uses most, when another needs room', () => {
    const { budget, refused, lease } = budgetOf(1000);
    lease('a', 'small of a').grow(400);
    lease('a', 'large of a').grow(500);
    lease('b').grow(90);
    lease('c').grow(200);
    assert.deepEqual(refused, ['large of a']);
    assert.equal(budget.usedBytes(), 690);
  });

  it('never takes from a holder more than from the one who asks', () => {
    const { refused, lease } = budgetOf(1000);
    lease('a').grow(500);
    lease('b').grow(500);
    assert.throws(() => lease('c').grow(600), { kind: 'unavailable' });
    const more = lease('b');
    assert.throws(() => more.grow(1), { kind: 'unavailable' });
    assert.deepEqual(refused, []);
  });

  it('leaves bodies that have arrived alone, and gives every other holder a small share of the reserve', () => {
    const { budget, refused, lease } = budgetOf(3200);
    const arrived = lease('a');
    arrived.grow(3200);
    arrived.complete();
    for (const name of ['b', 'c', 'd', 'e']) lease(name).grow(100);
    assert.throws(() => lease('b').grow(1), { kind: 'unavailable' });
    assert.deepEqual(refused, []);
    assert.equal(budget.usedBytes(), 3600);
    lease('f').grow(1);
    assert.deepEqual(refused, ['b']);
  });
});
