/** Many random files that are the whole truth, on both engines. */
import { describeSnapshots } from '../integration/imports/snapshots.trials.js';
import { forEachBackend } from '../support/for-each-backend.js';

forEachBackend((backend) => {
  describe('files that are the whole truth', function () {
    this.timeout(3_600_000);
    describeSnapshots(backend, { stories: 600, seed: Date.now() % 1_000_000, mostMs: 1_500_000 });
  });
});
