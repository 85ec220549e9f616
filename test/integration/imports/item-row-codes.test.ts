/**
 * Every code that a row of items can fail with. The fast reader leaves what is not plainly valid to the judge of the plain
 * one; test/long has both.
 */
import { runItemRowCodes } from './item-row-codes.trials.js';

runItemRowCodes(['fast']);
