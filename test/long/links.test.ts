/** As test/integration/imports/random-links.test.ts, more of it. */
import { describeLinkTrials } from '../integration/imports/random-links.trials.js';

describeLinkTrials(400);
