/** Workers that are killed at each message while a job is previewed, or carries out what was approved. */
import { describeApprovalKills } from '../integration/imports/approval-killed.trials.js';

describe('a worker that is killed anywhere while its job needs an approval', function () {
  this.timeout(3_600_000);
  describeApprovalKills(1);
});
