/** A stage of many items is copied, compared with its copy, and gets a change of the copy: at bounded memory, and in the time that it takes to read. */
import { copyCompareAndPromote } from '../integration/stages/copied-stage.trials.js';
import { startWorld, type World } from '../support/worlds/world.js';

const MIB = 1024 * 1024;

describe('a copied stage of 100,000 items', function () {
  this.timeout(1_800_000);
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 5_000 });
  });
  after(() => world.stop());

  it('is equal; one changed price is found, carried over and taken back', () =>
    copyCompareAndPromote(world, { items: 100_000, attributes: 40, most: 400 * MIB }, (line) =>
      console.log(`      ${line}`),
    ));
});
