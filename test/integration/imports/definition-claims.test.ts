/** What the errors of random jobs of attributes and of categories say is true; test/long has more of them. */
import { describeDefinitionClaims } from './definition-claims.trials.js';

describeDefinitionClaims({ stories: 5, seed: 20_261_122, mostMs: 100_000 });
