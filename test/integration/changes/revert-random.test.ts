/** Random jobs are taken back; more of them in test/long. */
import { describeReverts } from './revert.trials.js';

describeReverts({ trials: 60, seed: 77_123 });
