/** Random jobs of items in every mode and format end as a small model says; test/long has more of them. */
import { describeOracle } from './oracle.trials.js';

describeOracle({ stories: 5, seed: 20_261_122, crossed: false, mostMs: 100_000 });
