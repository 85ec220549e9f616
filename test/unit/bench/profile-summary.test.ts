import assert from 'node:assert/strict';
import { summariseProfile } from '../../../bench/measure/profile-summary.js';

describe('the summary of a CPU profile', () => {
  const node = (id: number, functionName: string, url = '', lineNumber = 0) => ({
    id,
    callFrame: { functionName, url, lineNumber },
  });

  it('adds up the time of a function over all the places that it was called from', () => {
    const lines = summariseProfile(
      {
        nodes: [
          node(1, 'parse', 'file:///app/dist/src/parse.js', 9),
          node(2, '(idle)'),
          node(3, 'parse', 'file:///app/dist/src/parse.js', 9),
        ],
        samples: [1, 2, 3],
        timeDeltas: [30_000, 40_000, 30_000],
      },
      10,
    );
    assert.deepEqual(lines, [' 60.0 %      60 ms  parse  src/parse.js:10', ' 40.0 %      40 ms  (idle)']);
  });

  it('names the package of a function that is not ours, and stops after the most', () => {
    const url = 'file:///app/node_modules/pg/lib/query.js';
    const lines = summariseProfile(
      { nodes: [node(1, '', url), node(2, 'f')], samples: [1, 2], timeDeltas: [2000, 1000] },
      1,
    );
    assert.deepEqual(lines, [' 66.7 %       2 ms  (anonymous)  pg/lib/query.js:1']);
  });
});
