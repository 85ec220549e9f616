/** Long computations in turns of the event loop. */
import assert from 'node:assert/strict';
import { fromInTurns, Stride, withPriority, yieldToEventLoop } from '../../../src/platform/time-slice.js';

describe('work in turns', () => {
  const computeFor = (ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until; );
  };

  it('gives what Array.from gives', async () => {
    const items = Array.from({ length: 1_234 }, (_, index) => index);
    const expected = items.map((item, index) => [item * 2, index]);
    assert.deepEqual(await fromInTurns(items, (item, index) => [item * 2, index]), expected);
    assert.deepEqual(await fromInTurns([], (item) => item), []);
  });

  /** @returns how many turns of the event loop the work took */
  async function turnsOf(work: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let working = true;
    const count = () => {
      turns++;
      if (working) setImmediate(count);
    };
    setImmediate(count);
    await work();
    working = false;
    return turns;
  }

  it('lets other events run after a few milliseconds, however long a unit takes', async () => {
    const turns = await turnsOf(() => fromInTurns(Array.from({ length: 20 }), () => computeFor(5)));
    assert.ok(turns >= 15, `${turns} turns beside 20 units of 5 ms`);
  });

  it('lets other events run sooner beside work with priority', async () => {
    const turns = await turnsOf(() =>
      withPriority(() => fromInTurns(Array.from({ length: 20 }), () => computeFor(0.5), 1)),
    );
    assert.ok(turns >= 15, `${turns} turns beside 20 units of 0.5 ms`);
  });

  it('does not keep work with priority waiting for itself', async () => {
    for (let time = 0; time < 3; time++) {
      const turns = await turnsOf(() => withPriority(async () => yieldToEventLoop()));
      assert.ok(turns <= 3, `${turns} turns until it went on`);
    }
  });

  it('looks at the clock rarely where units are short', async () => {
    const stride = new Stride(100);
    const strides = Array.from({ length: 10 }, () => stride.next());
    assert.equal(strides.at(-1), 100, strides.join(', '));
    computeFor(5);
    assert.ok(stride.next() < 100, 'a stride took long: the next one is shorter');
  });
});
