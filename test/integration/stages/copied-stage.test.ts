/** A stage is copied, compared with its copy, and gets a change of the copy. */
import { startWorld, type World } from '../../support/worlds/world.js';
import { copyCompareAndPromote } from './copied-stage.trials.js';

const MIB = 1024 * 1024;

describe('a copied stage of 2,000 items', function () {
  this.timeout(300_000);
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 500 });
  });
  after(() => world.stop());

  it('is equal; one changed price is found, carried over and taken back', () =>
    copyCompareAndPromote(world, { items: 2_000, attributes: 10, most: 1_024 * MIB }));
});
