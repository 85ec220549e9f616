/** A process that is killed at some messages in the life of a held file; test/long tries them all. */
import { withReaderOfRun } from '../../support/for-each-reader.js';
import { runHeldKillTrials } from './held-kills.trials.js';

withReaderOfRun('a process that is killed while a file is held, inspected and imported', (environment) => {
  runHeldKillTrials({ step: 61, ways: ['unsent', 'unanswered'], environment });
});
