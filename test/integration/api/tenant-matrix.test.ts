/** In short: each route of the registry refuses each kind of token and each foreign id, and nothing changes. */
import { runTenantMatrix } from './tenant-matrix.trials.js';

describe('the matrix of tenants', () => {
  runTenantMatrix(false);
});
