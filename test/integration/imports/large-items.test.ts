/** Few columns of many large items: what the items hold besides is never in memory all at once. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ITEMS = 1_000;
const NOTE = 'n'.repeat(10_000);
/** The most text of items that one statement writes: some parts begin small, and no size is exact. */
const MOST_CHARS = 3 * 1024 * 1024;

describe('updates of large items', function () {
  this.timeout(60_000);
  for (const unique of [false, true]) {
    describe(unique ? 'with unique values' : 'without unique values', () => {
      let world: World;
      let shop: Shop;
      before(async () => {
        world = await startWorld({ workers: true, chunkRows: 5_000 });
        shop = await (await world.newShop()).define({
          attributes: [
            'Note',
            { name: 'Code', type: 'TEXT', validation: { unique } },
            { name: 'Price', type: 'DECIMAL' },
          ],
          categories: { Disk: ['Note', 'Code', 'Price'] },
        });
        const rows = table((nth) => [`s${nth}`, 'Disk', `${NOTE}${nth}`, `c${nth}`, '1.5']);
        const made = await shop.importFile('items.csv', `SKU,Category Node,Note,Code,Price\n${rows}`);
        assert.equal(made.created, ITEMS);
      });
      after(() => world.stop());

      it('are written in parts, with the outcome of one', async () => {
        let most = 0;
        let written = 0;
        const note = ({ sql, bindings }: { sql: string; bindings?: readonly unknown[] }) => {
          if (!sql.startsWith('UPDATE item SET')) return;
          const { length } = String(bindings?.[0]);
          most = Math.max(most, length);
          written += length;
        };
        world.db.on('query', note);
        // Every third row changes nothing, every tenth is wrong; the codes move on by one item.
        const rows = table((nth) => [
          `s${nth}`,
          nth % 3 === 0 ? `c${nth}` : `d${nth}`,
          nth % 10 === 0 ? 'much' : nth % 3 === 0 ? '1.5' : '2.5',
        ]);
        const outcome = await shop.importFile('items.csv', `SKU,Code,Price\n${rows}`);
        world.db.off('query', note);
        const wrong = count((nth) => nth % 10 === 0);
        const same = count((nth) => nth % 10 !== 0 && nth % 3 === 0);
        assert.deepEqual(
          [outcome.updated, outcome.unchanged, outcome.failed],
          [ITEMS - wrong - same, same, wrong],
          JSON.stringify(outcome.summary),
        );
        assert.ok(written > NOTE.length * (ITEMS - wrong - same), 'all of it was written');
        assert.ok(most < MOST_CHARS, `${most} characters of items in one statement`);
        const [last, first] = [await shop.item(`s${ITEMS - 1}`), await shop.item('s1')];
        assert.deepEqual(
          [last?.attributes.Note, last?.attributes.Price, first?.attributes.Code],
          [`${NOTE}${ITEMS - 1}`, ITEMS % 3 === 1 ? '1.5' : '2.5', 'd1'],
        );
      });

      it('exchange values that are far apart', async () => {
        const before = await shop.values('Code');
        const codes = Object.keys(before);
        const next = new Map(codes.map((sku, nth) => [sku, before[codes[(nth + 1) % codes.length] as string]]));
        const rows = [...next].map((pair) => `${pair.join(',')}\n`).join('');
        const outcome = await shop.importFile('items.csv', `SKU,Code\n${rows}`);
        assert.deepEqual([outcome.updated, outcome.failed], [ITEMS, 0]);
        assert.deepEqual(await shop.values('Code'), Object.fromEntries(next));
      });
    });
  }
});

function table(row: (nth: number) => readonly string[]): string {
  return Array.from({ length: ITEMS }, (_, nth) => `${row(nth).join(',')}\n`).join('');
}

function count(isWanted: (nth: number) => boolean): number {
  return Array.from({ length: ITEMS }, (_, nth) => nth).filter(isWanted).length;
}
