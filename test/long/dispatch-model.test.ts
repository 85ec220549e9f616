/** The dispatch protocol, explored in its whole scope: two concurrent files of three chunks, two workers, two faults. */
import { CONCURRENT, EXCLUSIVE, exploreDispatch, SMALL } from '../unit/domain/jobs/dispatch-model.trials.js';

describe('the dispatch protocol, in its whole scope', function () {
  this.timeout(1_200_000);

  it('loses no step and doubles no effect of two concurrent files, whatever two faults do', () => {
    exploreDispatch('two concurrent files, 2 faults', [CONCURRENT, CONCURRENT], { faults: 2 });
  });

  it('loses no step and doubles no effect of two exclusive files, whatever two faults do', () => {
    exploreDispatch('two exclusive files, 2 faults', [EXCLUSIVE, EXCLUSIVE], { faults: 2 });
  });

  it('lets an exclusive file wait for a concurrent one, whatever two faults do', () => {
    exploreDispatch('a concurrent and an exclusive file, 2 faults', [CONCURRENT, EXCLUSIVE], { faults: 2 });
  });

  it('ends a job that is cancelled at any moment, whatever two faults do', () => {
    exploreDispatch('two exclusive files, the first is cancelled, 2 faults', [EXCLUSIVE, EXCLUSIVE], {
      faults: 2,
      cancels: [0],
    });
  });

  it('executes small jobs in batches, whatever two faults do', () => {
    exploreDispatch('three small exclusive jobs, 2 faults', [SMALL, SMALL, SMALL], { faults: 2, failures: true });
  });
});
