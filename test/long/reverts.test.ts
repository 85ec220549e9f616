/** As test/integration/changes/revert-random, revert-definitions-random and every-type, with many more jobs, others each time. */

import { describeEveryType } from '../integration/changes/every-type.trials.js';
import { describeReverts } from '../integration/changes/revert.trials.js';
import { describeDefinitionReverts } from '../integration/changes/revert-definitions.trials.js';
import { forEachBackend } from '../support/for-each-backend.js';

const MINUTES_EACH = 5;

describeReverts({ trials: 100_000, seed: Date.now() % 1_000_000_000, mostMs: MINUTES_EACH * 60_000 });
describeDefinitionReverts({ trials: 100_000, seed: Date.now() % 1_000_000_000, mostMs: MINUTES_EACH * 60_000 });
describeEveryType({
  trials: 100_000,
  seed: Date.now() % 1_000_000_000,
  mostMs: MINUTES_EACH * 60_000,
  onEngines: forEachBackend,
});
