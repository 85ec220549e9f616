/** Random stages are made equal by a promotion, and its revert takes all of it back. */
import { onOneBackend } from '../../support/for-each-backend.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { startWorld, type World } from '../../support/worlds/world.js';
import { promoteRandomStage } from './promote-stages.trials.js';

const TRIALS = 2;

onOneBackend((backend) => {
  describe('random stages', function () {
    this.timeout(240_000);
    let world: World;
    before(async () => {
      // Chunks of few rows, so that rows of one item's relatives are in several.
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl, chunkRows: 4 });
    });
    after(() => world.stop());

    it('are equal when all differences were carried over, and as before when that was taken back', async () => {
      for (let trial = 0; trial < TRIALS; trial++) {
        const shop = await world.newShop();
        await promoteRandomStage(shop, backend.redisUrl === undefined ? trial : trial + TRIALS);
        await assertChangesAddUp(world.db, shop.siteId);
      }
    });
  });
});
