/** A worker killed at every single message to the database. */

import { runCrashPointTrials } from '../integration/jobs/crash-points.trials.js';
import { forEachBackend } from '../support/for-each-backend.js';

describe('a worker that is killed anywhere, message by message', function () {
  this.timeout(1_200_000);
  runCrashPointTrials(1, forEachBackend);
});
