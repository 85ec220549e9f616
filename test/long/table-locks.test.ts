/** A great many locks of whole tables while all kinds of jobs run. */
import { runTableLockTrials } from '../integration/jobs/table-locks.trials.js';

describe('table locks at random times', function () {
  this.timeout(1_800_000);
  runTableLockTrials({ waiting: 50, holding: 50 });
});
