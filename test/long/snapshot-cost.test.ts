/** What it costs that a file is the whole truth: little more than the same import. */
import assert from 'node:assert/strict';
import type { FileOptions, Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { processorTime } from '../support/worlds/processes.js';
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

  /** How long a job ran by the clock, and how long the worker and Postgres computed meanwhile, in ms. */
  interface Cost {
    readonly clock: number;
    readonly computed: number;
  }

  const imported = async (shop: Shop, content: string, options: FileOptions = {}): Promise<Cost> => {
    const before = await computing();
    const jobId = await shop.upload('items.csv', content, options);
    await untilEnded(shop, jobId);
    const after = await computing();
    const { status, startedAt, completedAt } = await shop.ask('GET', `/jobs/${jobId}`);
    assert.equal(status, 'COMPLETED');
    // Of processes that ran all the time: all that matter.
    const computed = [...after].reduce(
      (sum, [pid, ms]) => sum + (before.has(pid) ? ms - (before.get(pid) ?? 0) : 0),
      0,
    );
    return { clock: Date.parse(completedAt) - Date.parse(startedAt), computed };
  };

  /** What the worker and the connections to the database have computed so far: other work on the machine hardly changes it. */
  async function computing(): Promise<ReadonlyMap<number, number>> {
    const { rows } = await world.db.raw<{ rows: { pid: number }[] }>(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'",
    );
    const pids = [...world.workers().map(world.pidOf), ...rows.map(({ pid }) => pid)];
    return new Map(pids.map((pid) => [pid, processorTime(pid).computedMs]));
  }

  const shopOf = async () =>
    (await world.newShop()).define({
      attributes: ['Title', 'Description', { name: 'Price', type: 'INTEGER' }],
      categories: { Disk: ['Title', 'Description', 'Price'] },
    });
  const snapshot = { snapshot: { scope: 'stage', missing: 'delete' } };

  /** Both imports in turns, because other work may run on the machine: each kind has the same chance of a quiet moment. */
  async function compare(rows: number, plain: () => Promise<Cost>, whole: () => Promise<Cost>) {
    const costs: Record<'plain' | 'snapshot', Cost[]> = { plain: [], snapshot: [] };
    for (let round = 0; round < roundsOf(rows); round++) {
      costs.plain.push(await plain());
      costs.snapshot.push(await whole());
    }
    const ratioOf = (of: keyof Cost) => {
      const least = (kind: keyof typeof costs) => Math.min(...costs[kind].map((cost) => cost[of]));
      const said = `${(least('snapshot') / least('plain')).toFixed(3)} times by ${of}: ${least('snapshot').toFixed(0)} and ${least('plain').toFixed(0)} ms`;
      process.stdout.write(`      ${said}\n`);
      return { ratio: least('snapshot') / least('plain'), said };
    };
    return { clock: ratioOf('clock'), computed: ratioOf('computed') };
  }

  const KINDS: Readonly<Record<string, (round: number) => number>> = {
    'changed rows': (round) => round,
    'unchanged rows': () => 1,
  };

  for (const rows of SIZES) {
    for (const [what, price] of Object.entries(KINDS)) {
      it(`costs at most ${MOST} times the same import of ${rows} ${what}`, async () => {
        const shop = await shopOf();
        await imported(shop, csv(0, rows, 1));
        let round = 1;
        const { clock, computed } = await compare(
          rows,
          () => imported(shop, csv(0, rows, price(++round))),
          async () => {
            await imported(shop, csv(rows, missingOf(rows), 1));
            return imported(shop, csv(0, rows, price(++round)), snapshot);
          },
        );
        assert.ok(computed.ratio <= MOST, computed.said);
        assert.ok(clock.ratio <= MOST, clock.said);
      });
    }

    it(`costs at most ${MOST} times the same import of ${rows} unchanged rows of which none is missing`, async () => {
      const shop = await shopOf();
      const content = csv(0, rows, 1);
      await imported(shop, content);
      const { computed } = await compare(
        rows,
        () => imported(shop, content),
        () => imported(shop, content, snapshot),
      );
      assert.ok(computed.ratio <= MOST, computed.said);
    });

    it(`costs at most ${MOST} times the same import of ${rows} rows into a new stage beside others`, async () => {
      // Statistics know the stages that were there before, and not this one.
      await world.db.raw('ANALYZE');
      const content = csv(0, rows, 1);
      const { computed } = await compare(
        rows,
        async () => imported(await shopOf(), content),
        async () => imported(await shopOf(), content, snapshot),
      );
      assert.ok(computed.ratio <= MOST, computed.said);
    });

    it(`costs at most ${MOST} times the same import of ${rows} rows beside items that go`, async () => {
      const content = csv(0, rows, 1);
      const begun = async () => {
        const shop = await shopOf();
        await imported(shop, csv(rows, missingOf(rows), 1));
        return shop;
      };
      const released = { snapshot: { ...snapshot.snapshot, maxMissingPercent: 100 } };
      const { computed } = await compare(
        rows,
        async () => imported(await begun(), content),
        async () => imported(await begun(), content, released),
      );
      assert.ok(computed.ratio <= MOST, computed.said);
    });
  }
});
