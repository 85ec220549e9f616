/** What test/long/random-tables.test.ts tries at length. */
import { runRandomTables } from './random-tables.trials.js';

describe('through the whole pipeline,', function () {
  this.timeout(120_000);
  runRandomTables(20);
});
