/** Many random jobs that are previewed and approved. */
import { describeApprovals } from '../integration/changes/approval.trials.js';
import { forEachBackend } from '../support/for-each-backend.js';

describeApprovals({ trials: 500, seed: Date.now() % 1_000_000, mostMs: 3_600_000, onEngines: forEachBackend });
