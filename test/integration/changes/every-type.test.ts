/** Jobs over attributes of every type are previewed, carried out and taken back; more of them in test/long. */
import { onOneBackend } from '../../support/for-each-backend.js';
import { describeEveryType } from './every-type.trials.js';

describeEveryType({ trials: 6, seed: 28_006, onEngines: onOneBackend });
