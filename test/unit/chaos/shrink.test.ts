import assert from 'node:assert/strict';
import { shrink } from '../../chaos/shrink.js';

const FAILING = { faults: Array.from({ length: 20 }, (_, index) => index + 1), lanes: ['a', 'b', 'c'] };
const FOR_EVER = Number.POSITIVE_INFINITY;

describe('the shortest story of a failing run', () => {
  it('keeps only the faults and lanes that it takes', async () => {
    const shortest = await shrink(
      FAILING,
      async ({ faults, lanes }) => faults.includes(4) && faults.includes(17) && lanes.includes('b'),
      FOR_EVER,
    );
    assert.deepEqual(shortest, { faults: [4, 17], lanes: ['b'] });
  });

  it('has no faults when it fails without any', async () => {
    assert.deepEqual(await shrink(FAILING, async () => true, FOR_EVER), { faults: [], lanes: ['c'] });
  });

  it('is the whole one when nothing less fails', async () => {
    assert.deepEqual(await shrink(FAILING, async () => false, FOR_EVER), FAILING);
  });

  it('is what was found when the time is over', async () => {
    let runs = 0;
    const shortest = await shrink(FAILING, async () => ++runs > 0, 0);
    assert.deepEqual([shortest, runs], [FAILING, 0]);
  });
});
