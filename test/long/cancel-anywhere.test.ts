/** Jobs cancelled at a great many random moments, in every mode. */
import { runCancelTrials } from '../integration/jobs/cancel-anywhere.trials.js';

describe('cancelling a file', function () {
  this.timeout(1_800_000);
  runCancelTrials(150);
});
