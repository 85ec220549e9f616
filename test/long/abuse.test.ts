/** While one tenant attacks, the requests of another take at most three times what they take in an idle system. */
import { runAbuseTrials } from '../system/abuse.trials.js';

describe('the requests of a tenant take at most three times as long while another one attacks with', function () {
  this.timeout(600_000);
  runAbuseTrials({ warmUp: 20, windows: 8, rounds: 12, strength: 1, timesAtMost: 3, onEach: true });
});
