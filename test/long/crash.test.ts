/** Everything killed at once, again and again, on the same data. */
import { runCrashTrials } from '../system/durability-crash.trials.js';

describe('an installation of which everything is killed at once', function () {
  this.timeout(1_200_000);
  runCrashTrials(12, 4_000);
});
