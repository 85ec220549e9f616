/** Random catalogs of variants and bundles, in random order, end as a model says that knows neither chunks nor workers. */
import { describeLinkTrials } from './random-links.trials.js';

describeLinkTrials(6);
