/** As test/integration/changes/revert-random.test.ts and revert-definitions-random.test.ts, with many more jobs, others each time. */

import { describeReverts } from '../integration/changes/revert.trials.js';
import { describeDefinitionReverts } from '../integration/changes/revert-definitions.trials.js';

const MINUTES_EACH = 5;

describeReverts({ trials: 100_000, seed: Date.now() % 1_000_000_000, mostMs: MINUTES_EACH * 60_000 });
describeDefinitionReverts({ trials: 100_000, seed: Date.now() % 1_000_000_000, mostMs: MINUTES_EACH * 60_000 });
