/** Worker processes killed in the middle of a file that is all or nothing; the long run kills dozens. */
import { runWholeKillTrials } from './whole-jobs-crash.trials.js';

describe('a file that is all or nothing', function () {
  this.timeout(120_000);
  runWholeKillTrials({ rows: 20_000, chunkRows: 700, kills: 2 });
});
