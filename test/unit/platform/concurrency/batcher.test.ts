import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { createBatcher } from '../../../../src/platform/concurrency/batcher.js';

describe('gathering', () => {
  /** Each batch waits to be let go. */
  function held(
    options: {
      lingerMs?: number;
      enough?: number;
      maxItems?: number;
      failsWaiting?: boolean;
      patienceMs?: number;
    } = {},
  ) {
    const batches: { readonly items: readonly number[]; readonly end: (error?: Error) => void }[] = [];
    const ask = createBatcher<number, string>({
      lingerMs: 0,
      maxItems: 100,
      ...options,
      run: (items) =>
        new Promise((resolve, reject) => {
          const end = (error?: Error) => (error === undefined ? resolve(items.map(String)) : reject(error));
          batches.push({ items, end });
        }),
    });
    return { ask, batches };
  }

  it('asks once for what is asked at one moment, and answers each', async () => {
    const { ask, batches } = held();
    const answers = [1, 2, 3].map(ask);
    await turn();
    assert.deepEqual(
      batches.map(({ items }) => items),
      [[1, 2, 3]],
    );
    batches[0]?.end();
    assert.deepEqual(await Promise.all(answers), ['1', '2', '3']);
  });

  it('gathers what comes while a batch is under way, and has at most one', async () => {
    const { ask, batches } = held({ maxItems: 2 });
    const answers = [ask(1)];
    await turn();
    answers.push(ask(2), ask(3), ask(4));
    await turn();
    assert.equal(batches.length, 1);
    for (const index of [0, 1, 2]) {
      batches[index]?.end();
      await turn();
      await turn();
    }
    assert.deepEqual(
      batches.map(({ items }) => items),
      [[1], [2, 3], [4]],
    );
    assert.deepEqual(await Promise.all(answers), ['1', '2', '3', '4']);
  });

  it('lingers for others, unless enough gathered while a batch was under way', async () => {
    const { ask, batches } = held({ lingerMs: 20, enough: 2 });
    const started = performance.now();
    const first = ask(1);
    while (batches.length === 0) await turn();
    assert.ok(performance.now() - started >= 18);
    const others = [ask(2), ask(3)];
    batches[0]?.end();
    await first;
    await turn();
    await turn();
    assert.deepEqual(batches[1]?.items, [2, 3]);
    const last = ask(4);
    const ended = performance.now();
    batches[1]?.end();
    await Promise.all(others);
    while (batches.length === 2) await turn();
    assert.ok(performance.now() - ended >= 18);
    batches[2]?.end();
    assert.equal(await last, '4');
  });

  it('lets others run beside a batch that takes too long, and answers that one as well', async () => {
    const { ask, batches } = held({ patienceMs: 20 });
    const silent = ask(1);
    await turn();
    const later = ask(2);
    while (batches.length < 2) await turn();
    batches[1]?.end();
    assert.equal(await later, '2');
    batches[0]?.end();
    assert.equal(await silent, '1');
    const next = ask(3);
    await turn();
    const last = ask(4);
    await turn();
    assert.equal(batches.length, 3, 'one at a time again');
    batches[2]?.end();
    while (batches.length < 4) await turn();
    batches[3]?.end();
    assert.deepEqual(await Promise.all([next, last]), ['3', '4']);
  });

  it('tells all of a batch that failed why, and goes on', async () => {
    const { ask, batches } = held();
    const failing = [1, 2].map(ask);
    await turn();
    batches[0]?.end(new Error('out of reach'));
    const ends = await Promise.allSettled(failing);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    const next = ask(3);
    await turn();
    batches[1]?.end();
    assert.equal(await next, '3');
  });

  it('fails those that wait as well, if it is told to, and goes on', async () => {
    const { ask, batches } = held({ maxItems: 2, failsWaiting: true });
    const failing = [1, 2, 3].map(ask);
    await turn();
    batches[0]?.end(new Error('out of reach'));
    const ends = await Promise.allSettled(failing);
    assert.ok(ends.every(({ status }) => status === 'rejected'));
    const next = ask(4);
    await turn();
    batches[1]?.end();
    assert.equal(await next, '4');
  });
});
