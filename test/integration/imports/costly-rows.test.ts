import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/worlds/world.js';

/** About 400 states, most of which are active after each character. */
const COSTLY = '[ab]*a[ab]{400}[cd]';
const LONGEST = 2_400;

describe('rows whose patterns cost much', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());

  /** A text without a repetition that an automaton could remember. */
  const text = (length: number) => Array.from({ length }, (_, index) => ((index * index * 7) & 8 ? 'a' : 'b')).join('');

  it('are read in turns with the work of others, and refused above the limit of a row', async () => {
    const costly = await (await world.newShop()).define({
      attributes: [{ name: 'Code', type: 'TEXT', validation: { pattern: COSTLY } }],
      categories: { Disk: ['Code'] },
    });
    const other = await (await world.newShop()).define({ categories: { Disk: [] } });
    const rows = Array.from({ length: 12 }, (_, index) => `s${index},Disk,${text(LONGEST - index)}`);
    const file = ['SKU,Category Node,Code', ...rows, `long,Disk,${text(LONGEST * 2)}`].join('\n');
    const jobId = await costly.upload('costly.csv', file);

    for (let index = 0; index < 3; index++) {
      const { status, body } = await other.bulk('insert', [{ sku: `o${index}`, nodeName: 'Disk' }]);
      assert.equal(status, 200, JSON.stringify(body));
    }
    const { errors, failed } = await costly.outcome(jobId);
    assert.equal(failed, 13);
    assert.deepEqual([...new Set(errors.map(({ code }) => code))].sort(), ['VALUE_PATTERN', 'VALUE_TOO_LONG']);
    const [tooLong] = errors.filter(({ code }) => code === 'VALUE_TOO_LONG');
    assert.equal(tooLong?.key, 'long');
    assert.match(tooLong?.message ?? '', /pattern's size \(\d+\) times the text's length \(4800\)/);
  });

  it('need patterns that are refused when they are defined above the limit of their size', async () => {
    const shop = await world.newShop();
    const { body } = await shop.bulkAttributes([
      { name: 'Code', type: 'TEXT', validation: { pattern: '[ab]*a[ab]{600}[cd]' } },
    ]);
    assert.match(JSON.stringify(body), /size of 606.*at most 500 is allowed/);
  });
});
