/** In short: five random batches, and every fifth message at which a worker may be lost. */
import { runBatchTrials } from './batches.trials.js';

describe('a batch of small jobs', function () {
  this.timeout(60_000);
  runBatchTrials(5, 5);
});
