/** Workers that are killed at some messages while a file removes what it lacks; test/long tries them all. */
import { describeSnapshotKills } from './snapshots-killed.trials.js';

describe('a worker that is killed while its file removes what it lacks', function () {
  this.timeout(300_000);
  describeSnapshotKills(29);
});
