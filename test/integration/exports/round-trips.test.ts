/** What an export writes, an import reads: into the same site without a change, into an empty one to the same catalog. */
import { runRoundTrips } from './round-trips.trials.js';

describe('export, import, export', function () {
  this.timeout(120_000);

  runRoundTrips({ runs: 6 });
});
