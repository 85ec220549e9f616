/** Random jobs are taken back; more of them in test/long. */
import { describeReverts } from './revert.trials.js';

describeReverts({ trials: 20, seed: 28_004 });
