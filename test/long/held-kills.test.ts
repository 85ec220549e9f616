/** A process that is killed at every message in the life of a held file. */
import { runHeldKillTrials } from '../integration/imports/held-kills.trials.js';

describe('a process that is killed anywhere in the life of a held file', function () {
  this.timeout(3_600_000);
  for (const way of ['unsent', 'unanswered'] as const) {
    describe(`whose last message is ${way}, with the fast reader`, () => {
      runHeldKillTrials({ step: 1, ways: [way], environment: { IMPORT_READER: 'fast' } });
    });
  }
  // The reader reads the copy that the plan has made, which is the same for all forms of files.
  describe('with the plain reader', () => {
    const environment = { IMPORT_READER: 'plain' };
    runHeldKillTrials({ step: 1, ways: ['unsent', 'unanswered'], files: ['shop.csv'], environment });
  });
});
