/** Jobs of a site end as if run one after the other, whatever befalls their workers. */
import { runOrderTrials } from './order.trials.js';

describe('jobs of one site, accepted one after the other', function () {
  this.timeout(180_000);
  runOrderTrials(6);
});
