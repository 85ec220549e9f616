/** Hundreds of random tables through the whole pipeline. */
import { runRandomTables } from '../integration/imports/random-tables.trials.js';

describe('through the whole pipeline,', function () {
  this.timeout(1_200_000);
  runRandomTables(300);
});
