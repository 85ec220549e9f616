/** 20,000 deliveries, ten killed workers, a Redis that is away for 20 s and comes back empty, a Postgres that crashes. */
import { runLosslessTrials } from '../system/webhooks-lossless.trials.js';

describe('deliveries, whatever is killed', function () {
  this.timeout(1_800_000);
  runLosslessTrials({ events: 5_000, kills: 10, redisAwayMs: 20_000, withinMs: 900_000 });
});
