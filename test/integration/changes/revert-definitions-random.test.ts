/** Random jobs of definitions and items are taken back; more of them in test/long. */
import { describeDefinitionReverts } from './revert-definitions.trials.js';

describeDefinitionReverts({ trials: 5, seed: 28_041 });
