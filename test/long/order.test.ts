/** Jobs of a site end as if run one after the other, whatever befalls their workers: many trials. */
import { runOrderTrials } from '../integration/jobs/order.trials.js';

describe('jobs of one site, accepted one after the other', function () {
  this.timeout(3_600_000);
  runOrderTrials(500);
});
