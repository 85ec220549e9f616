/** Random stages, copied by their archives. test/long tries many. */
import { runsOf } from '../../support/models/property-runs.js';
import { runStageTrials } from './any-stage.trials.js';

describe('the archive of any stage', function () {
  this.timeout(300_000);
  runStageTrials({ runs: runsOf(30) });
});
