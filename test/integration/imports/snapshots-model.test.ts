/** Some random files that are the whole truth, on both engines; test/long tries many. */
import { forEachBackend } from '../../support/for-each-backend.js';
import { describeSnapshots } from './snapshots.trials.js';

forEachBackend((backend) => {
  describe('files that are the whole truth', function () {
    this.timeout(300_000);
    describeSnapshots(backend, { stories: 12, seed: 168, mostMs: 120_000 });
  });
});
