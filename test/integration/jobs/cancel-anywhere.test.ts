/** Cancelled at random moments; the long run does it many times. */
import { runCancelTrials } from './cancel-anywhere.trials.js';

describe('cancelling a file', function () {
  this.timeout(60_000);
  runCancelTrials(4);
});
