/** Readers of the feed of changes miss nothing beside writers; test/long has more trials and longer transactions. */
import { describeFeedOrder } from './feed-order.trials.js';

describeFeedOrder({
  trials: 20,
  transactions: 4,
  longestMs: 60,
  held: { trials: 3, longestMs: 300 },
  seed: 20_261_125,
});
