/** Workers that are killed at each message while a file removes what it lacks. */
import { describeSnapshotKills } from '../integration/imports/snapshots-killed.trials.js';

describe('a worker that is killed anywhere while its file removes what it lacks', function () {
  this.timeout(3_600_000);
  describeSnapshotKills(1);
});
