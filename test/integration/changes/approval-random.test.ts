/** Random jobs are previewed and approved; more of them in test/long. */
import { describeApprovals } from './approval.trials.js';

describeApprovals({ trials: 10, seed: 28_003 });
