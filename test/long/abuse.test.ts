/** While one tenant attacks, the requests of another take at most three times what they take in an idle system. */
import { runAbuseTrials } from '../system/abuse.trials.js';

describe('the requests of one tenant while another attacks, within three times those of an idle system', function () {
  this.timeout(600_000);
  runAbuseTrials({ windows: 4, rounds: 12, timesAtMost: 3 });
});
