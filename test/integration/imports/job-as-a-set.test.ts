/** The rows of a job are a set: values are exchanged and links are turned whatever the order of the rows, in every mode. */
import assert from 'node:assert/strict';
import { places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';
import { runSetKillTrials } from './job-as-a-set.trials.js';

const CATALOG = {
  attributes: [{ name: 'U', type: 'TEXT', validation: { unique: true } }, 'Title'],
  categories: { Disk: ['U', 'Title'] },
};

describe('a job as a set', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define(CATALOG);
  });

  const create = async (rows: Readonly<Record<string, string>>): Promise<void> => {
    const { body } = await shop.bulk('insert', elementsOf(rows, 'Disk'));
    assert.equal(body.failed.length, 0);
  };

  const SWAP = { K0: 'eu1', K5: 'eu0' };
  const SHIFT = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`K${n}`, `eu${n + 1}`]));
  const ROTATION = { ...SHIFT, K10: 'eu0' };
  const TRIALS = {
    'a swap': { before: { K0: 'eu0', K5: 'eu1' }, rows: SWAP },
    'a shift by one over eleven rows': { before: elevenItems(), rows: SHIFT },
    'a rotation of eleven values': { before: elevenItems(), rows: ROTATION },
  };
  for (const [name, { before: given, rows }] of Object.entries(TRIALS)) {
    for (const order of ['in reverse', 'shuffled'] as const) {
      it(`${name}, ${order}: files of each format, updates and requests`, async () => {
        await create(given);
        const entries = arranged(Object.entries(rows), order);
        const back = arranged(Object.entries(given), order);
        const csv = (pairs: typeof entries) => ['SKU,U', ...pairs.map((pair) => pair.join(','))].join('\n');
        const jsonl = (pairs: typeof entries) =>
          elementsOf(Object.fromEntries(pairs))
            .map((e) => JSON.stringify(e))
            .join('\n');
        const sends = [
          () => shop.importFile('a.csv', csv(entries)),
          () => shop.importFile('b.csv', csv(back), { mode: 'update' }),
          () => shop.importFile('c.jsonl', jsonl(entries), { onError: 'abort' }),
          async () => shop.outcome((await shop.bulk('update', elementsOf(Object.fromEntries(back)))).body.jobId),
          async () =>
            shop.outcome(
              (await shop.bulk('upsert', elementsOf(Object.fromEntries(entries)), { query: 'onError=abort' })).body
                .jobId,
            ),
        ];
        for (const [nth, send] of sends.entries()) {
          const outcome = await send();
          assert.deepEqual([nth, outcome.status, outcome.errors], [nth, 'COMPLETED', []]);
          assert.equal(outcome.updated, entries.length);
          assert.deepEqual(await shop.values('U'), nth % 2 === 0 ? { ...given, ...rows } : given);
        }
      });

      it(`${name}, ${order}: dry runs change nothing and report no error`, async () => {
        await create(given);
        const entries = arranged(Object.entries(rows), order);
        const csv = ['SKU,U', ...entries.map((pair) => pair.join(','))].join('\n');
        const file = await shop.importFile('a.csv', csv, { validateOnly: true });
        assert.deepEqual([file.errors, file.updated], [[], entries.length]);
        const { body } = await shop.bulk('upsert', elementsOf(Object.fromEntries(entries)), {
          query: 'validateOnly=true',
        });
        assert.deepEqual(body.failed, []);
        assert.deepEqual(await shop.values('U'), given);
      });
    }
  }

  it('new items get what others give up, and the first row that wants a value has it', async () => {
    await create({ a: '1' });
    const rows = ['x,Disk,1', 'y,Disk,1', 'a,,2', 'z,Disk,2'];
    const outcome = await shop.importFile('items.csv', ['SKU,Category Node,U', ...rows].join('\n'));
    assert.deepEqual(places(outcome), [
      [3, 'U', 'VALUE_NOT_UNIQUE'],
      [5, 'U', 'VALUE_NOT_UNIQUE'],
    ]);
    assert.deepEqual(await shop.values('U'), { a: '2', x: '1' });
  });

  it('the order of the input decides who gets a value, not whether a row refers to others', async () => {
    const rows = ['v,Disk,p,1', 'p,Disk,,2', 'q,Disk,,1', 'w,Disk,nobody,3', 'r,Disk,,3'];
    const outcome = await shop.importFile('items.csv', ['SKU,Category Node,Parent SKU,U', ...rows].join('\n'));
    assert.deepEqual(places(outcome), [
      [4, 'U', 'VALUE_NOT_UNIQUE'],
      [5, 'Parent SKU', 'PARENT_NOT_FOUND'],
      // Row 6 has the value now, so that correcting the parent is not enough.
      [5, 'U', 'VALUE_NOT_UNIQUE'],
    ]);
    assert.deepEqual(await shop.values('U'), { p: '2', r: '3', v: '1' });
  });

  it('a row that depends on the failure of another says so', async () => {
    await create({ a: '1', b: '2', c: '3' });
    const rows = ['a,2,,', 'b,3,,', 'c,4,abc,Nowhere'];
    const outcome = await shop.importFile('items.csv', ['SKU,U,Title,Category Node', ...rows].join('\n'));
    assert.deepEqual(
      outcome.errors.map(({ row }) => row),
      [2, 3, 4],
    );
    assert.match(
      outcome.errors[0]?.message ?? '',
      /the item "b" has the value "2" already.*row 3, for "b", failed too/,
    );
    assert.match(
      outcome.errors[1]?.message ?? '',
      /the item "c" has the value "3" already.*row 4, for "c", failed too/,
    );
    assert.deepEqual(await shop.values('U'), { a: '1', b: '2', c: '3' });
  });

  for (const order of ['in order', 'in reverse'] as const) {
    it(`an item becomes a variant when its own variant leaves it, ${order}`, async () => {
      const items = [
        { sku: 'p1', nodeName: 'Disk' },
        { sku: 'p2', nodeName: 'Disk' },
        { sku: 'v', nodeName: 'Disk', parentSku: 'p1' },
      ];
      assert.equal((await shop.bulk('insert', items)).body.success.length, 3);
      const rows = arranged(['p1,p2', 'v,NULL'], order);
      const outcome = await shop.importFile('items.csv', ['SKU,Parent SKU', ...rows].join('\n'));
      assert.deepEqual([outcome.status, outcome.updated, outcome.errors], ['COMPLETED', 2, []]);
      const parents = Object.fromEntries((await shop.items()).map(({ sku, parentSku }) => [sku, parentSku ?? null]));
      assert.deepEqual(parents, { p1: 'p2', p2: null, v: null });
    });

    it(`a parent and its variant exchange their values, ${order}`, async () => {
      const items = [
        { sku: 'p', nodeName: 'Disk', attributes: { U: '1' } },
        { sku: 'v', nodeName: 'Disk', parentSku: 'p', attributes: { U: '2' } },
      ];
      assert.equal((await shop.bulk('insert', items)).body.success.length, 2);
      const rows = arranged(['p,,2', 'v,p,1'], order);
      const outcome = await shop.importFile('items.csv', ['SKU,Parent SKU,U', ...rows].join('\n'));
      assert.deepEqual([outcome.status, outcome.updated, outcome.errors], ['COMPLETED', 2, []]);
      assert.deepEqual(await shop.values('U'), { p: '2', v: '1' });
    });
  }

  it('an unknown SKU and an unknown parent are told at once', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU,Parent SKU\nnew,nobody\n', { mode: 'update' });
    assert.deepEqual(places(outcome), [
      [2, 'SKU', 'SKU_NOT_FOUND'],
      [2, 'Parent SKU', 'PARENT_NOT_FOUND'],
    ]);
  });
});

describe('a job as a set whose worker is killed', function () {
  this.timeout(120_000);
  runSetKillTrials(41);
});

function elevenItems(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`K${n}`, `eu${n}`]));
}

function elementsOf(rows: Readonly<Record<string, string>>, nodeName?: string): object[] {
  return Object.entries(rows).map(([sku, U]) => ({
    sku,
    ...(nodeName === undefined ? {} : { nodeName }),
    attributes: { U },
  }));
}

function arranged<Row>(rows: readonly Row[], order: 'in order' | 'in reverse' | 'shuffled'): Row[] {
  if (order === 'in order') return [...rows];
  if (order === 'in reverse') return [...rows].reverse();
  return rows
    .map((_, nth) => rows[(nth * 7 + 3) % rows.length] as Row)
    .filter((row, nth, all) => all.indexOf(row) === nth);
}
