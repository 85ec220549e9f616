/** Worker processes killed two dozen times in each of four files that are all or nothing. */
import { runWholeKillTrials } from '../system/whole-jobs-crash.trials.js';

describe('a file that is all or nothing', function () {
  this.timeout(1_800_000);
  runWholeKillTrials({ rows: 100_000, chunkRows: 1_000, kills: 24 });
});
