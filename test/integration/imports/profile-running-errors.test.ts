/** What the errors of an import by a profile quote while the import runs: the file, and not what its profile has made of it. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { defineGermanShop } from '../../support/models/german-shop.js';
import { until } from '../../support/until.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const NUMBER = { step: 'number', decimal: ',', thousands: '.' };
const PROFILE = {
  fileType: 'ITEM_IMPORT',
  columns: [
    { to: 'SKU', from: 'Nr' },
    { to: 'Category Node', from: 'Gruppe', steps: [{ step: 'path', separator: '>' }] },
    { to: 'Stock', from: 'Menge', steps: [NUMBER] },
    { to: 'Title', from: 'Name' },
  ],
};
const ROWS = [
  { Nr: 'a', Gruppe: 'Zubehör > Hüte', Menge: '1', Name: 'Helm' },
  { Nr: 'b', Gruppe: 'Zubehör > Helme', Menge: '1.950,27', Name: 'Helm "Öl"' },
  { Nr: 'last', Gruppe: 'Zubehör > Helme', Menge: '3', Name: 'Helm' },
];
const WRONG = [
  ['Gruppe', 'Zubehör > Hüte'],
  ['Menge', '1.950,27'],
];

/** Forms of the file, each of them with the rows of two chunks. */
const FILES = {
  'liste.csv': () => {
    const lines = ROWS.map((row) => Object.values(row).map((cell) => `"${cell.replaceAll('"', '""')}"`));
    return ['Nr;Gruppe;Menge;Name', ...lines.map((cells) => cells.join(';')), ''].join('\n');
  },
  'liste.json': () => JSON.stringify(ROWS),
} as const;

describe('errors of an import by a profile that still runs', function () {
  this.timeout(120_000);
  let world: World;
  before(async () => {
    world = await startWorld({ chunkRows: 2 });
    await world.startWorkers({}, BULK_ONLY);
  });
  after(() => world.stop());

  for (const [name, content] of Object.entries(FILES)) {
    for (const onError of ['skip', 'abort'] as const) {
      it(`quote ${name} under ${onError}, and do not change at its end`, async () => {
        const shop = await defineGermanShop(await world.newShop());
        const blocked = await world.db.transaction();
        // The second chunk waits for the end of this transaction.
        await blocked('item').insert({ site_id: shop.siteId, sku: 'last', attributes: {} });
        const jobId = await shop.upload(name, content(), { profile: PROFILE, onError });
        const running = await firstErrors(shop, jobId);
        const { completedAt } = await shop.ask('GET', `/jobs/${jobId}`);
        await blocked.rollback();
        assert.equal(completedAt, null);
        assert.deepEqual(
          running.map(({ column, value }) => [column, value]),
          WRONG,
        );
        for (const { message, value } of running) assert.ok(message.includes(`"${value}"`), message);
        assert.deepEqual((await shop.outcome(jobId)).errors, running);
      });
    }
  }

  it('quote the file when the rows that failed are executed again', async () => {
    const shop = await defineGermanShop(await world.newShop());
    const { id } = await shop.importFile('liste.csv', FILES['liste.csv'](), { profile: PROFILE });
    const { jobId } = (await shop.call('POST', `/jobs/${id}/actions/retry`)).body;
    const { errors } = await shop.outcome(jobId);
    assert.deepEqual(
      errors.map(({ column, value }) => [column, value]),
      WRONG,
    );
  });
});

/** The errors of a job, as soon as it has some. */
async function firstErrors(shop: Shop, jobId: string) {
  let found = await shop.errors(jobId);
  const isFound = async () => {
    found = await shop.errors(jobId);
    return found.length > 0;
  };
  await until('the first errors of a job', isFound, 60_000);
  return found;
}
