/** A job that is all or nothing reads a chunk while another is applied, and uses the connection of its transaction for one thing at a time. */
import assert from 'node:assert/strict';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const ROWS = 600;

function csv(title: (nth: number) => string): string {
  const lines = Array.from({ length: ROWS }, (_, nth) => `row-${nth},Hats,${title(nth)}`);
  return `SKU,Category Node,Title\n${lines.join('\n')}\n`;
}

describe('a job that is all or nothing, on a site with items', function () {
  this.timeout(120_000);
  let world: World;
  const warnings: string[] = [];
  const note = ({ message }: Error) => warnings.push(message);
  before(async () => {
    world = await startWorld({ chunkRows: 10 });
    await world.startWorkers({}, BULK_ONLY);
    process.on('warning', note);
  });
  after(() => {
    process.off('warning', note);
    return world.stop();
  });

  it('sends one statement at a time, and finds the rows that are unchanged', async () => {
    const shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Hats: ['Title'] } });
    await shop.importFile('first.csv', csv(String));
    const second = csv((nth) => (nth % 3 === 0 ? `changed ${nth}` : String(nth)));
    const { updated, unchanged } = await shop.importFile('second.csv', second, { onError: 'abort' });
    assert.deepEqual([updated, unchanged], [ROWS / 3, (2 * ROWS) / 3]);
    assert.deepEqual(
      warnings.filter((message) => message.includes('client.query()')),
      [],
    );
  });
});
