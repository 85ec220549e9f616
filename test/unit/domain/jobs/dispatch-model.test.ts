/** The dispatch protocol, explored: every interleaving of its processes, of the queue and of the faults. */
import assert from 'node:assert/strict';
import { CONCURRENT, EXCLUSIVE, exploreDispatch, SHORT, SMALL, WITH_PASSES } from './dispatch-model.trials.js';

describe('the dispatch protocol', function () {
  this.timeout(120_000);

  it('loses no step and doubles no effect of two exclusive files, whatever two faults do', () => {
    exploreDispatch('two exclusive files, 2 faults', [SHORT, SHORT], { faults: 2 });
  });

  it('applies each pass of a chunk once', () => {
    exploreDispatch('a file with two passes, 2 faults', [WITH_PASSES], { faults: 2 });
  });

  it('keeps two concurrent files apart, whatever one fault does', () => {
    const short = { ...SHORT, concurrent: true };
    exploreDispatch('two concurrent files, 1 fault', [CONCURRENT, short], { faults: 1 });
  });

  it('ends a job that is cancelled at any moment, and the one behind it', () => {
    exploreDispatch('two exclusive files, the first is cancelled, 1 fault', [EXCLUSIVE, EXCLUSIVE], {
      faults: 1,
      cancels: [0],
    });
  });

  for (const concurrent of [
    [false, false, false],
    [true, true, true],
    [true, true, false],
    [true, false, true],
    [false, true, true],
  ]) {
    const names = concurrent.map((one) => (one ? 'concurrent' : 'exclusive')).join(', ');
    it(`executes small jobs in batches, in their order: ${names}`, () => {
      const specs = concurrent.map((one) => ({ ...SMALL, concurrent: one }));
      exploreDispatch(`small jobs, ${names}, 1 fault`, specs, { faults: 1, failures: true });
    });
  }

  describe('with a bug', () => {
    it('in the fence, which compares nothing, applies a chunk twice', () => {
      const { story, what } = found({ fenceIgnores: 'all' }, 1);
      assert.match(what, /pass 0 is applied twice|recorded twice/);
      assert.ok(story.some((line) => /stands still|ends before/.test(line)));
    });

    it('in the fence, which compares the state and no token, applies in one pass what was read in another', () => {
      assert.match(found({ fenceIgnores: 'token' }, 1).what, /pass 0 is applied twice/);
    });

    it('in the reconciler, which never enqueues again, loses a step', () => {
      const { story, what } = found({ reconcilerIsIdle: true }, 1);
      assert.match(what, /no move is left, and not everything is done/);
      assert.ok(story.length <= 3, 'the shortest story is short');
    });

    function found(bugs: Parameters<typeof exploreDispatch>[3], faults: number) {
      const { violation } = exploreDispatch('with a bug', [WITH_PASSES], { faults }, bugs);
      assert.ok(violation !== null, 'the exploration finds it');
      return violation;
    }
  });
});
