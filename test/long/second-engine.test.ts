/** Suites of jobs that take long, and of which the queues' engine decides little: npm test runs them on one, and this file on each. */
import { onEachBackend } from '../support/for-each-backend.js';

await onEachBackend(async () => {
  await import('../integration/changes/changes.test.js');
  await import('../integration/changes/compare-stages.test.js');
  await import('../integration/changes/definitions.test.js');
  await import('../integration/changes/promote-definitions.test.js');
  await import('../integration/changes/promote-stages.test.js');
  await import('../integration/changes/pruning.test.js');
  await import('../integration/changes/revert.test.js');
  await import('../integration/changes/revert-between.test.js');
  await import('../integration/changes/revert-definitions.test.js');
  await import('../integration/proposals/inspection.test.js');
  await import('../integration/stages/filled-stage.test.js');
  await import('../integration/stages/killed.test.js');
});
