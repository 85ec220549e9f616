/** As test/integration/changes/delta-sums.test.ts, with many more changes, others each time. */
import { describeDeltaSums } from '../integration/changes/delta-sums.trials.js';

const MINUTES = 5;

describeDeltaSums({ trials: 100_000, seed: Date.now() % 1_000_000_000, mostMs: MINUTES * 60_000 });
