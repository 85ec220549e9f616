/** A worker killed again and again at a job whose rows exchange their values. */
import { runSetKillTrials } from '../integration/imports/job-as-a-set.trials.js';

describe('a job as a set whose worker is killed', function () {
  this.timeout(1_200_000);
  runSetKillTrials(5);
});
