/** What test/integration/jobs/batches.test.ts tries in short: more random batches, and every message at which a worker may be lost. */
import { runBatchTrials } from '../integration/jobs/batches.trials.js';

describe('a batch of small jobs, at length', function () {
  this.timeout(600_000);
  runBatchTrials(60, 1);
});
