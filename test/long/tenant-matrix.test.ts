/** Each route of the registry with every scope by itself, every malformed token, and ids of nobody. */
import { runTenantMatrix } from '../integration/api/tenant-matrix.trials.js';

describe('the whole matrix of tenants', function () {
  this.timeout(120_000);
  runTenantMatrix(true);
});
