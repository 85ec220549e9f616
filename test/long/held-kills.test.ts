/** A process that is killed at every message in the life of a held file. */
import { runHeldKillTrials } from '../integration/imports/held-kills.trials.js';
import { forEachReader } from '../support/for-each-reader.js';

forEachReader('a process that is killed anywhere in the life of a held file', (environment) => {
  for (const way of ['unsent', 'unanswered'] as const) {
    describe(`whose last message is ${way}`, function () {
      this.timeout(3_600_000);
      runHeldKillTrials({ step: 1, ways: [way], environment });
    });
  }
});
