/** The feed of changes beside many writers, with transactions of up to two seconds, and some that stay open for up to a minute. */
import { describeFeedOrder } from '../integration/changes/feed-order.trials.js';

describeFeedOrder({
  trials: 500,
  transactions: 6,
  longestMs: 2_000,
  held: { trials: 5, longestMs: 60_000 },
  seed: 20_261_126,
});
