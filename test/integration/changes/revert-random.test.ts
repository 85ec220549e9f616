/** Random jobs are taken back; more of them in test/long. */
import { describeReverts } from './revert.trials.js';

describeReverts({ trials: 10, seed: 28_004 });
