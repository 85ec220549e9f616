/** More at once than a process can hold, on each engine of the queues. */
import { forEachBackend } from '../support/for-each-backend.js';
import { runOverloadTrials } from '../system/overload.trials.js';

runOverloadTrials(forEachBackend);
