/** Workers that are killed at some messages while a job is previewed, or carries out what was approved; test/long tries them all. */
import { describeApprovalKills } from './approval-killed.trials.js';

describe('a worker that is killed while its job needs an approval', function () {
  this.timeout(300_000);
  describeApprovalKills(5);
});
