/** One tenant's half million rows do not keep another's few waiting. */
import { runFairnessTrials } from '../system/fairness.trials.js';

describe('beside an import of 500,000 rows of another tenant, one worker process', function () {
  this.timeout(600_000);
  runFairnessTrials(500_000);
});
