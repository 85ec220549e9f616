/** What test/long/batch-kills.test.ts tries at length. */
import { runBatchKillTrials } from './batch-kills.trials.js';

describe('small jobs that workers execute in batches', function () {
  this.timeout(120_000);
  runBatchKillTrials({ shops: 5, jobsOfEach: 30, kills: 2, withinMs: 60_000 });
});
