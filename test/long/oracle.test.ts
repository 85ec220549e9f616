/** As test/integration/imports/oracle.test.ts with other stories each time, and with both readers on both backends. */
import { describeOracle } from '../integration/imports/oracle.trials.js';

const MINUTES_EACH = 5;

describeOracle({ stories: 100_000, seed: Date.now() % 1_000_000_000, crossed: true, mostMs: MINUTES_EACH * 60_000 });
