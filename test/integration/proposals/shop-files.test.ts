/** The files of shops go in by their proposals, from an empty catalog: only what is ambiguous is decided before. */
import assert from 'node:assert/strict';
import type { Proposal } from '../../../src/domain/proposals/model/proposal.js';
import type { Shop } from '../../support/http/shop.js';
import { decideOne } from '../../support/models/decide-one.js';
import { SHOP_FILES, shopFileOf } from '../../support/models/shop-files.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ROWS = 1_400;
const WAIT = { prefer: 'wait=25' };
const EVERYTHING = { attributes: true, options: true, categories: true, assignments: true };

describe('the proposal for the file of a shop', function () {
  this.timeout(180_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ chunkRows: 500 });
    await world.startWorkers({}, ['export', 'bulk']);
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  for (const name of SHOP_FILES) {
    it(`imports all good rows of the file of ${name}, and reports each mistake by its row and column`, async () => {
      const { name: fileName, bytes, mistakes } = await shopFileOf(name, ROWS);
      const file = await shop.hold(bytes, { fileName });
      const proposal = await proposalFor(file);
      const profile = decided(proposal);
      const { missing } = proposal;
      const done = await shop.imported(file, { profile, missing, createMissing: EVERYTHING });
      assert.equal(done.status, 'COMPLETED_PARTIALLY', done.message);
      assert.deepEqual(
        done.errors.map(({ row, column, value }) => ({ row, column, value: value ?? '' })),
        mistakes.map(({ row, column, value }) => ({ row, column, value })),
      );
      assert.equal(done.created, ROWS - mistakes.length, 'every good row is an item');
      assert.equal(done.total, ROWS);
      const again = await proposalFor(file);
      assert.deepEqual(again.missing, { attributes: [], options: [], categories: [], assignments: [] });
      const isNew = again.lines.filter((line) => line.isNew);
      assert.deepEqual(isNew, [], 'the catalog has all of it now');
    });
  }

  async function proposalFor({ id }: { readonly id: string }): Promise<Proposal> {
    return (await shop.ask('GET', `/files/product/${id}/proposal`, { headers: WAIT })).proposal;
  }
});

/** The profile with the first reading of what is ambiguous; nothing else is touched. */
function decided({ profile, questions, lines }: Proposal): Proposal['profile'] {
  let current: Parameters<typeof decideOne>[0] = profile as Parameters<typeof decideOne>[0];
  for (const { column, readings } of questions) {
    const line = lines.find(({ from }) => from === column);
    assert.equal(line?.verdict, 'ambiguous', `${column} is open, and its line says so`);
    current = decideOne(current, column, readings[0]?.value ?? '') ?? current;
  }
  return current as Proposal['profile'];
}
