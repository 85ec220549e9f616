/** Every code that a row of items can fail with, with each reader. */
import { runItemRowCodes } from '../integration/imports/item-row-codes.trials.js';

runItemRowCodes(['fast', 'plain']);
