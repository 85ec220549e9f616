/** Thousands of small jobs, and a worker killed again and again while they are executed. */
import { runBatchKillTrials } from '../system/batch-kills.trials.js';

describe('small jobs that workers execute in batches', function () {
  this.timeout(900_000);
  runBatchKillTrials({ shops: 20, jobsOfEach: 300, kills: 20, withinMs: 300_000 });
});
