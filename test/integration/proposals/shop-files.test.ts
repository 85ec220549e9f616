/** The files of shops go in by their proposals, from an empty catalog: only what is ambiguous is decided before. */
import assert from 'node:assert/strict';
import { encodeText } from '../../../src/domain/formats/text/text-encoding.js';
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

  it('imports the file that people of an older Mac have made, with titles and sums between its rows', async () => {
    const rows = Array.from({ length: 40 }, (_, row) => {
      if (row % 10 === 0) return `Abteilung Räder ${row};;;;;;;`;
      if (row % 10 === 9) return `Zwischensumme;;;${row},00 €;;;;`;
      const weight = row % 4 === 0 ? 'k.A.' : `${row},5 kg`;
      const since = row % 3 === 0 ? '00.00.0000' : `${10 + (row % 19)}.12.2026`;
      return `A${row};Größe ${row};Räder > Rad ${row % 3};${row},– €;${row},50${row % 2 === 0 ? '-' : ''};${weight};${since};ja`;
    });
    const header = 'Artikelnummer;Bezeichnung;Warengruppe;Preis;Saldo;Gewicht;Neu ab;Lieferbar';
    const bytes = encodeText(`${[header, ...rows].join('\r')}\r`, 'macintosh');
    const file = await shop.hold(bytes, { fileName: 'preise.csv' });
    const proposal = await proposalFor(file);
    const { missing } = proposal;
    const done = await shop.imported(file, { profile: decided(proposal), missing, createMissing: EVERYTHING });
    assert.deepEqual([done.status, done.errors, done.created], ['COMPLETED', [], 32], done.message);
    const { Preis, Saldo, Bezeichnung, ...others } = (await shop.item('A12'))?.attributes ?? {};
    assert.deepEqual([Preis, Saldo, Bezeichnung], ['12', '-12.5', 'Größe 12']);
    assert.deepEqual(Object.keys(others), ['Lieferbar'], 'its weight and its day stand for no value');
  });

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
