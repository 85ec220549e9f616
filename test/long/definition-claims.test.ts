/** As test/integration/imports/definition-claims.test.ts with other stories each time. */
import { describeDefinitionClaims } from '../integration/imports/definition-claims.trials.js';

describeDefinitionClaims({ stories: 100_000, seed: Date.now() % 1_000_000_000, mostMs: 5 * 60_000 });
