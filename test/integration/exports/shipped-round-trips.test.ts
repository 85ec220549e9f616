/** What each profile that comes with Longshore writes and reads again, for a few random catalogs. */
import { runShippedRoundTrips } from './shipped-round-trips.trials.js';

describe('an export in the form of a shop system changes nothing when it comes back', function () {
  this.timeout(120_000);

  runShippedRoundTrips({ runs: 3, seed: 28_118 });
});
