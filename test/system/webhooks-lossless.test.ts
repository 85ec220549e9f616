/** What test/long/webhooks-lossless.test.ts tries at length. */
import { runLosslessTrials } from './webhooks-lossless.trials.js';

describe('deliveries, whatever is killed', function () {
  this.timeout(150_000);
  runLosslessTrials({ events: 60, kills: 2, redisAwayMs: 500, withinMs: 100_000 });
});
