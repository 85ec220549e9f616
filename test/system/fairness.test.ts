/** One tenant's large import does not keep another's few rows waiting. */
import { runFairnessTrials } from './fairness.trials.js';

describe('beside an import of 50,000 rows of another tenant, one worker process', function () {
  this.timeout(120_000);
  runFairnessTrials(50_000);
});
