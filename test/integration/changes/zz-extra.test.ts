import { describeDefinitionReverts } from './revert-definitions.trials.js';
describeDefinitionReverts({ trials: 100, seed: 777, mostMs: 150_000 });
