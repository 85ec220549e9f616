/** The property of test/integration/exports/round-trips, on many more catalogs. */
import { runRoundTrips } from '../integration/exports/round-trips.trials.js';
import { runShippedRoundTrips } from '../integration/exports/shipped-round-trips.trials.js';

describe('export, import, export, two hundred times', function () {
  this.timeout(30 * 60_000);

  runRoundTrips({ runs: 200 });
});

describe('an export in the form of a shop system changes nothing when it comes back, many times', function () {
  this.timeout(30 * 60_000);

  runShippedRoundTrips({ runs: 40, seed: Date.now() % 1_000_000_000 });
});
