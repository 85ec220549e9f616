/** While one tenant attacks, every request of another succeeds. The whole of each attack: test/long. */
import { runAbuseTrials } from './abuse.trials.js';

describe('every request of a tenant succeeds, and in time, while another one attacks with', function () {
  this.timeout(120_000);
  runAbuseTrials({ warmUp: 1, windows: 1, rounds: 1, strength: 0.1, onEach: false });
});
