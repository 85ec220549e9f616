/** Many pairs of random stages are made equal by promotions, which are taken back. */

import { promoteRandomStage } from '../integration/changes/promote-stages.trials.js';
import { startWorld, type World } from '../support/worlds/world.js';

const TRIALS = 100;

describe('promotions of random stages', function () {
  this.timeout(1_800_000);
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 4 });
  });
  after(() => world.stop());

  it(`make ${TRIALS} pairs of stages equal, and are taken back`, async () => {
    for (let seed = 1_000; seed < 1_000 + TRIALS; seed++) await promoteRandomStage(await world.newShop(), seed);
  });
});
