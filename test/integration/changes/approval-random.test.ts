/** Random jobs are previewed and approved; more of them in test/long. */
import { onOneBackend } from '../../support/for-each-backend.js';
import { describeApprovals } from './approval.trials.js';

describeApprovals({ trials: 25, seed: 28_003, onEngines: onOneBackend });
