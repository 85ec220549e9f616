/** Long work that can be cancelled, in turns of the event loop. */
import assert from 'node:assert/strict';
import { EventLoopPacer } from '../../../src/platform/event-loop-pacer.js';
import { withPriority } from '../../../src/platform/time-slice.js';

describe('the pacer of long work', () => {
  /** Computes so many units of so many milliseconds, with a pause after each. @returns how many turns of the event loop that took */
  async function turnsOf(units: number, ms: number): Promise<number> {
    const pacer = new EventLoopPacer(new AbortController().signal);
    let turns = 0;
    let working = true;
    const count = () => {
      turns++;
      if (working) setImmediate(count);
    };
    setImmediate(count);
    for (let unit = 0; unit < units; unit++) {
      for (const until = performance.now() + ms; performance.now() < until; );
      await pacer.pause();
    }
    working = false;
    return turns;
  }

  it('lets other events run every few milliseconds', async () => {
    const turns = await turnsOf(20, 5);
    assert.ok(turns >= 15, `${turns} turns beside 20 units of 5 ms`);
  });

  it('lets other events run sooner beside work with priority', async () => {
    const turns = await withPriority(() => turnsOf(20, 0.5));
    assert.ok(turns >= 15, `${turns} turns beside 20 units of 0.5 ms`);
  });

  it('ends work that was cancelled while it waited for its turn', async () => {
    const cancelled = new AbortController();
    const pacer = new EventLoopPacer(cancelled.signal);
    for (const until = performance.now() + 5; performance.now() < until; );
    const pause = pacer.pause();
    cancelled.abort(new Error('cancelled'));
    await assert.rejects(pause, /cancelled/);
    await assert.rejects(pacer.pause(), /cancelled/);
  });
});
