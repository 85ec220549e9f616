/** More at once than a process can hold; test/long tries it on each engine of the queues. */
import { onOneBackend } from '../support/for-each-backend.js';
import { runOverloadTrials } from './overload.trials.js';

runOverloadTrials(onOneBackend);
