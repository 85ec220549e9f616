/** What test/long/fan-out-kills.test.ts tries at length. */
import { runFanOutTrials } from './fan-out-kill.trials.js';

describe('an event that thousands of definitions hear, whose worker is killed while it is fanned out', function () {
  this.timeout(120_000);
  runFanOutTrials({ definitions: 2_000, killAfterPages: [1], withinMs: 90_000 });
});
