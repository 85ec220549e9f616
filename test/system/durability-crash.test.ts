/** What was accepted outlives everything that accepted it. */
import { runCrashTrials } from './durability-crash.trials.js';

describe('an installation of which everything is killed at once', function () {
  this.timeout(120_000);
  runCrashTrials(1);
});
