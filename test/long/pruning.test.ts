/** As test/integration/changes/pruning.test.ts with a month of a million changes. */
import { describePruning } from '../integration/changes/pruning.trials.js';

describePruning(1_000_000);
