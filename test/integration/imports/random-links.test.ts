/** Random catalogs of variants and bundles, in random order, end as a model says that knows neither chunks nor workers. */
import { describeLinkTrials } from '../../support/link-trials.js';

describeLinkTrials(6);
