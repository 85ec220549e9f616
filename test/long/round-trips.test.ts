/** The property of test/integration/exports/round-trips, on many more catalogs. */
import { runRoundTrips } from '../integration/exports/round-trips.trials.js';

describe('export, import, export, two hundred times', function () {
  this.timeout(30 * 60_000);

  runRoundTrips({ runs: 200 });
});
