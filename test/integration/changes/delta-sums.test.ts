/** Files of what has changed add up, whatever is changed; more trials in test/long. */
import { describeDeltaSums } from './delta-sums.trials.js';

describeDeltaSums({ trials: 5, seed: 28_207 });
