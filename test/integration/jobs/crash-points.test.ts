/** A worker killed in the middle of a job, at one in 31 of its messages to the database; the long run tries them all. */
import { onOneBackend } from '../../support/for-each-backend.js';
import { runCrashPointTrials } from './crash-points.trials.js';

describe('a worker that is killed anywhere', function () {
  this.timeout(120_000);
  runCrashPointTrials(31, onOneBackend);
});
