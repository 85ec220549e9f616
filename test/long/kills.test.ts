/** Workers killed fifty times in one import, of four processes; and twelve times, of one that is alone. */
import { runKillTrials } from '../system/durability.trials.js';

describe('an import of 200,000 rows in small chunks', function () {
  this.timeout(1_800_000);
  // A process that is alone is back the later the more often it is killed: up to ten seconds.
  const systems = [
    { workers: 4, kills: 50 },
    { workers: 1, kills: 12 },
  ];
  runKillTrials({ rows: 200_000, systems, chunkRows: 500 });
});
