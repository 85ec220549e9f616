/** One input, one outcome: whatever the number of workers, and however many of them are killed. */
import { runKillTrials } from './durability.trials.js';

describe('an import of 24,000 rows', function () {
  this.timeout(120_000);
  runKillTrials({ rows: 24_000, systems: [{ workers: 4, kills: 3 }], chunkRows: 1_000 });
});
