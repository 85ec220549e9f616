/** What it costs that a file is the whole truth: little more than the same import. */
import assert from 'node:assert/strict';
import type { FileOptions, Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

/** Numbers of rows, separated by commas: a small file shows what each job costs, a large one what each row does. */
const SIZES = (process.env.SNAPSHOT_ROWS ?? '20000,200000').split(',').map(Number);
const MOST = 1.15;
/** The rounds of a small file last a moment: more of them find one that nothing else has disturbed. */
const roundsOf = (rows: number) => (rows <= 20_000 ? 20 : 6);
/** The items that a file of so many rows does not have. */
const missingOf = (rows: number) => rows / 100;

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

  const shopOf = async () =>
    (await world.newShop()).define({
      attributes: ['Title', 'Description', { name: 'Price', type: 'INTEGER' }],
      categories: { Disk: ['Title', 'Description', 'Price'] },
    });
  const snapshot = { snapshot: { scope: 'stage', missing: 'delete' } };
  const KINDS: Readonly<Record<string, (round: number) => number>> = {
    'changed rows': (round) => round,
    'unchanged rows': () => 1,
  };

  for (const [what, price] of Object.entries(KINDS)) {
    for (const rows of SIZES) {
      it(`costs at most ${MOST} times the same import of ${rows} ${what}`, async () => {
        const shop = await shopOf();
        await imported(shop, csv(0, rows, 1));
        const times: Record<'plain' | 'snapshot', number[]> = { plain: [], snapshot: [] };
        for (let round = 0; round < roundsOf(rows); round++) {
          // In turns, because other work may run on the machine: each kind has the same chance of a quiet moment.
          times.plain.push(await imported(shop, csv(0, rows, price(2 + 2 * round))));
          await imported(shop, csv(rows, missingOf(rows), 1));
          times.snapshot.push(await imported(shop, csv(0, rows, price(3 + 2 * round)), snapshot));
        }
        const ratio = Math.min(...times.snapshot) / Math.min(...times.plain);
        process.stdout.write(`      ${JSON.stringify(times)}: ${ratio.toFixed(3)}\n`);
        assert.ok(ratio <= MOST, `${ratio.toFixed(3)} times: ${JSON.stringify(times)}`);
      });
    }
  }
});
