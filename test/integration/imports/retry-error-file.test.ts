/** The error file of a job, corrected and uploaded again without naming its options. */
import assert from 'node:assert/strict';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const OPTIONS = { mode: 'update', decimalSeparator: ',', dateFormat: 'dd.MM.yyyy' };
const counts = ({ created, updated, unchanged, failed }: Outcome) => ({ created, updated, unchanged, failed });

describe('an error file that is imported again', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ chunkRows: 2 });
    await world.startWorkers();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: [
        { name: 'Price', type: 'DECIMAL' },
        { name: 'Since', type: 'DATETIME' },
      ],
      categories: { Hats: ['Price', 'Since'] },
    });
    await shop.bulk(
      'insert',
      ['a', 'b', 'c'].map((sku) => ({ sku, nodeName: 'Hats' })),
    );
  });

  const FILE = [
    'SKU;Price;Since;_note',
    'a;1,50;31.01.2026;mine',
    'b;"2,x";01.02.2026;"it;s"',
    'c;3,25;32.01.2026;',
    'new;1,00;01.01.2026;',
  ].join('\n');
  /** The jobs of a first import and its error file, in which a person corrects what is wrong. */
  const failed = async (): Promise<{ first: Outcome; corrected: string }> => {
    const first = await shop.importFile('items.csv', FILE, OPTIONS);
    assert.deepEqual(counts(first), { created: 0, updated: 1, unchanged: 0, failed: 3 }, JSON.stringify(first));
    const text = (await shop.download(first.errorFile ?? '')).bytes.toString('utf8');
    return { first, corrected: text.replace('2,x', '2,75').replace('32.01', '31.01') };
  };

  it('keeps columns of the user that begin with _, and names its job', async () => {
    const { first, corrected } = await failed();
    const [header, row] = corrected.split('\r\n');
    assert.equal(header, '\ufeffSKU;Price;Since;_note;_row;_column;_code;_message;_job');
    assert.ok(row?.startsWith('b;2,75;01.02.2026;"it;s";3;Price;'), row);
    assert.ok(row?.endsWith(`;${first.id}`), row);
  });

  it('brings the options of its job by the column _job', async () => {
    const { first, corrected } = await failed();
    const again = await shop.importFile('errors-items.csv', corrected);
    assert.deepEqual(places(again), [[4, 'SKU', 'SKU_NOT_FOUND']], JSON.stringify(again));
    assert.equal(again.updated, 2);
    assert.deepEqual(Object.values(await shop.values('Price')).map(String), ['1.5', '2.75', '3.25']);
    assert.deepEqual(await shop.values('Since'), { a: '2026-01-31', b: '2026-02-01', c: '2026-01-31' });
    const { options } = await shop.ask('GET', `/jobs/${again.id}`);
    assert.deepEqual(options, { ...OPTIONS, onError: 'skip', validateOnly: false, retryOf: first.id });
    const third = (await shop.download(again.errorFile ?? '')).bytes.toString('utf8');
    assert.equal(third.split('\r\n')[0], corrected.split('\r\n')[0], 'nothing is added twice');
    assert.deepEqual(places(await shop.importFile('e.csv', third)), [[2, 'SKU', 'SKU_NOT_FOUND']]);
  });

  it('does what the announcement says where it says something', async () => {
    const { corrected } = await failed();
    const again = await shop.importFile('e.csv', corrected.replace('new;', 'new2;'), { mode: 'upsert' });
    assert.deepEqual(places(again), [[4, 'Category Node', 'NODE_NOT_FOUND']]);
    const dry = await shop.importFile('e.csv', corrected, { validateOnly: true, mode: 'upsert' });
    assert.equal(dry.failed, 1);
  });

  it('brings them by retryOf without the column, and refuses a job that is none', async () => {
    const { first } = await failed();
    const announce = (retryOf: string, fileType = 'ITEM_IMPORT') =>
      shop.post('/files/product', { fileName: 'x.csv', fileType, retryOf });
    const { body } = await announce(first.id);
    await shop.put(body, 'SKU;Price\nb;7,25\n');
    assert.deepEqual(counts(await shop.outcome(body.jobId)), { created: 0, updated: 1, unchanged: 0, failed: 0 });
    assert.equal(String((await shop.values('Price')).b), '7.25');
    const other = await world.newShop();
    for (const answer of [
      await announce('f'.repeat(24)),
      await announce(first.id, 'ATTRIBUTE_IMPORT'),
      await other.post('/files/product', { fileName: 'x.csv', fileType: 'ITEM_IMPORT', retryOf: first.id }),
    ]) {
      assert.equal(answer.status, 400);
      assert.match(answer.body.message, /retryOf: there is no job/);
    }
  });

  it('of another site brings nothing', async () => {
    const { corrected } = await failed();
    const other = await (await world.newShop()).define({
      attributes: [
        { name: 'Price', type: 'DECIMAL' },
        { name: 'Since', type: 'DATETIME' },
      ],
    });
    const outcome = await other.importFile('e.csv', corrected);
    assert.ok(
      outcome.errors.some(({ code }) => code === 'VALUE_TYPE'),
      'the decimal comma is not understood',
    );
  });

  it('is a workbook or JSON Lines as its input was', async () => {
    const lines = ['a', 'x'].map((sku) => JSON.stringify({ sku, attributes: { Price: 1 }, _own: 1 })).join('\n');
    const first = await shop.importFile('i.jsonl', lines, { mode: 'update' });
    const { name, bytes } = await shop.download(first.errorFile ?? '');
    assert.deepEqual(JSON.parse(bytes.toString('utf8'))._own, 1);
    assert.deepEqual(places(await shop.importFile(name, bytes)), [[1, 'sku', 'SKU_NOT_FOUND']]);
  });

  it('of attributes or categories in JSON is accepted as it is', async () => {
    for (const [type, element] of [
      ['ATTRIBUTE_IMPORT', { name: 'Odd', type: 'NO_TYPE' }],
      ['CATEGORY_IMPORT', { path: 'Hats->', order: 1 }],
    ] as const) {
      const first = await shop.importFile('i.json', JSON.stringify([element]), {}, { type });
      const { name, bytes } = await shop.download(first.errorFile ?? '');
      const again = await shop.importFile(name, bytes, {}, { type });
      assert.deepEqual(places(again), places(first), 'the same problems, and none of what the error file added');
    }
  });

  it('with escapeFormulas has an apostrophe before formulas, also after a line feed and with full-width signs', async () => {
    const file = 'SKU,Price,_note\na,x,=1+1\nb,x,"first\n=1+1"\nc,x,＝1+1\n';
    const outcome = await shop.importFile('i.csv', file, { escapeFormulas: true });
    const text = (await shop.download(outcome.errorFile ?? '')).bytes.toString('utf8');
    assert.match(text, /\na,x,'=1\+1,2,/);
    assert.match(text, /\nb,x,"first\n'=1\+1",3,/);
    assert.match(text, /\nc,x,'＝1\+1,4,/);
    const refused = await shop.post('/files/product', {
      fileName: 'x.xlsx',
      fileType: 'ITEM_IMPORT',
      options: { escapeFormulas: true },
    });
    assert.equal(refused.status, 400);
  });
});
