/** 10,000 definitions, and a worker killed after the first page, in the middle, and before the last. */
import { runFanOutTrials } from '../system/fan-out-kill.trials.js';

describe('an event that 10,000 definitions hear, whose workers are killed while it is fanned out', function () {
  this.timeout(600_000);
  runFanOutTrials({ definitions: 10_000, killAfterPages: [1, 5, 9], withinMs: 300_000 });
});
