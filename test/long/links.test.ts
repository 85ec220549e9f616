/** As test/integration/imports/random-links.test.ts, more of it. */
import { describeLinkTrials } from '../support/link-trials.js';

describeLinkTrials(400);
