/** What it costs that a file is the whole truth: little more than the same import. */
import assert from 'node:assert/strict';
import type { FileOptions, Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

const ROWS = Number(process.env.SNAPSHOT_ROWS ?? 200_000);
const ROUNDS = 4;
const MOST = 1.15;
/** The items that the file does not have. */
const MISSING = ROWS / 100;

describe('an import that is the whole truth', function () {
  this.timeout(1_800_000);
  let world: SystemWorld;
  before(async () => {
    world = await startSystemWorld();
  });
  after(() => world.stop());

  const csv = (first: number, count: number, price: number) => {
    const lines = Array.from({ length: count }, (_, nth) => {
      const sku = `ITEM-${String(first + nth).padStart(9, '0')}`;
      return `${sku},Disk,Title of ${sku},${price},Some words that describe it`;
    });
    return `SKU,Category Node,Title,Price,Description\n${lines.join('\n')}\n`;
  };

  /** @returns how long the job ran */
  const imported = async (shop: Shop, content: string, options: FileOptions = {}): Promise<number> => {
    const jobId = await shop.upload('items.csv', content, options);
    await untilEnded(shop, jobId);
    const { status, startedAt, completedAt } = await shop.ask('GET', `/jobs/${jobId}`);
    assert.equal(status, 'COMPLETED');
    return Date.parse(completedAt) - Date.parse(startedAt);
  };

  for (const [what, price] of [
    ['changed rows', (round: number) => round],
    ['unchanged rows', () => 1],
  ] as const) {
    it(`costs at most ${MOST} times the same import of ${ROWS} ${what}`, async () => {
      const shop = await (await world.newShop()).define({
        attributes: ['Title', 'Description', { name: 'Price', type: 'INTEGER' }],
        categories: { Disk: ['Title', 'Description', 'Price'] },
      });
      await imported(shop, csv(0, ROWS, 1));
      const times: Record<'plain' | 'snapshot', number[]> = { plain: [], snapshot: [] };
      for (let round = 0; round < ROUNDS; round++) {
        times.plain.push(await imported(shop, csv(0, ROWS, price(2 + 2 * round))));
        await imported(shop, csv(ROWS, MISSING, 1));
        const snapshot = { snapshot: { scope: 'stage', missing: 'delete' } };
        times.snapshot.push(await imported(shop, csv(0, ROWS, price(3 + 2 * round)), snapshot));
      }
      const ratio = Math.min(...times.snapshot) / Math.min(...times.plain);
      process.stdout.write(`      ${JSON.stringify(times)}: ${ratio.toFixed(3)}\n`);
      assert.ok(ratio <= MOST, `${ratio.toFixed(3)} times: ${JSON.stringify(times)}`);
    });
  }
});
