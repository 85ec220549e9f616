/** What the header of a file of items may say, and what it is told when it says something else. */
import assert from 'node:assert/strict';
import { type FileOptions, type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the header of a file', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({
      attributes: ['Title', 'Größe', 'Screen Size'],
      categories: { Disk: ['Title', 'Größe', 'Screen Size'] },
    });
  });
  after(() => world.stop());

  const importText = (text: string, options?: FileOptions): Promise<Outcome> =>
    shop.importFile('items.csv', text, options);
  const assertRejected = async (text: string, reason: string, message: RegExp, options?: FileOptions) => {
    const outcome = await importText(text, options);
    assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', reason], outcome.message);
    assert.match(outcome.message, message);
    assert.deepEqual([outcome.errors.length, outcome.errorFile], [0, null]);
  };

  it('is matched without case, trimmed and in NFC', async () => {
    const header = ' sku ,HIERARCHY NODE,tItLe,"GRÖSSE",Screen size'.replace('Ö', 'O\u0308');
    const outcome = await importText(`${header}\na,Disk,T,XL,5\n`);
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 1], outcome.message);
    assert.deepEqual((await shop.item('a'))?.attributes, { Title: 'T', Größe: 'XL', 'Screen Size': '5' });
  });

  it('may have its columns in any order', async () => {
    await importText('Title,Category Node,Größe,SKU\nT,Disk,M,b\n');
    assert.deepEqual((await shop.item('b'))?.attributes, { Title: 'T', Größe: 'M' });
  });

  it('may have columns that begin with _, any number of times, and they are ignored', async () => {
    const outcome = await importText('_row,SKU,_note, _NOTE ,Category Node,_\n9,c,x,"y\nz",Disk,\n');
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 1], outcome.message);
  });

  it('with an unknown column refuses the file and names the nearest known one', async () => {
    await assertRejected('SKU,Titl\na,x\n', 'UNKNOWN_COLUMN', /column 2, "Titl".*did you mean "Title"\?/);
    await assertRejected('SKU,Screen-Size\na,x\n', 'UNKNOWN_COLUMN', /did you mean "Screen Size"\?/);
    await assertRejected('SKU,Categry Node\na,x\n', 'UNKNOWN_COLUMN', /did you mean "Category Node"\?/);
    await assertRejected('SKUs,Title\na,x\n', 'UNKNOWN_COLUMN', /column 1, "SKUs".*did you mean "SKU"\?/);
    await assertRejected('SKU,Warranty\na,x\n', 'UNKNOWN_COLUMN', /"Warranty".*rename the column with a leading "_"/);
  });

  it('with a column twice refuses the file, however it is written', async () => {
    await assertRejected('SKU,Title,Title\na,x,y\n', 'DUPLICATE_COLUMN', /columns 2 and 3 both are "Title"/);
    await assertRejected('SKU,Title, tITLE\na,x,y\n', 'DUPLICATE_COLUMN', /columns 2 and 3/);
    await assertRejected('SKU,sku,Title\na,x,y\n', 'DUPLICATE_COLUMN', /columns 1 and 2/);
    await assertRejected('SKU,Category Node,Hierarchy Node\na,x,y\n', 'DUPLICATE_COLUMN', /columns 2 and 3/);
  });

  it('without a SKU column refuses the file', async () => {
    await assertRejected('Title,Größe\na,x\n', 'MISSING_COLUMN', /no SKU column; add one headed "SKU"/);
    await assertRejected('_SKU,Title\na,x\n', 'MISSING_COLUMN', /no SKU column/);
  });

  it('without a category column refuses a file that creates, and only that', async () => {
    const rows = 'SKU,Title\na,changed\n';
    await assertRejected(rows, 'MISSING_COLUMN', /new items need a category.*"Category Node"/, { mode: 'insert' });
    for (const mode of ['upsert', 'update']) assert.equal((await importText(rows, { mode })).failed, 0);
  });

  it('with another delimiter than the one named refuses the file', async () => {
    await assertRejected('SKU;Title\na;x\n', 'UNKNOWN_COLUMN', /column 1, "SKU;Title"/, { delimiter: ',' });
  });

  it('that is damaged refuses the file', async () => {
    await assertRejected('SKU,"Title" x\na,x\n', 'INVALID_HEADER', /header cannot be read/);
    await assertRejected('SKU,"Title\na,x\n', 'UNCLOSED_QUOTE', /row 1/);
    await assertRejected('SKU,Ti\u0000tle\na,x\n', 'WRONG_FORMAT', /header holds NUL/);
  });

  it('of 2,001 columns refuses the file', async () => {
    const columns = Array.from({ length: 2000 }, (_, index) => `_${index}`).join(',');
    await assertRejected(`SKU,${columns}\na${','.repeat(2000)}\n`, 'TOO_MANY_COLUMNS', /2001 columns; at most 2000/);
    const most = Array.from({ length: 1999 }, (_, index) => `_${index}`).join(',');
    const outcome = await importText(`SKU,${most}\na${','.repeat(1999)}\nb\n`, { mode: 'update' });
    assert.deepEqual(places(outcome), [[3, null, 'ROW_FIELD_COUNT']]);
  });
});
