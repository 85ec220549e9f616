/** The typed client and files of somebody's own: it inspects them, decides what is open, and imports them by profiles. */
import assert from 'node:assert/strict';
import {
  accepted,
  createClient,
  decide,
  type ImportProgress,
  type LongshoreClient,
  LongshoreError,
  openQuestions,
  otherReading,
} from '@longshore/client';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** No day is above 12, so that the file does not say whether day or month is first. */
const ROWS = ['T-1;Tent;Camping > Tents;1.199,00;03.04.2026', 'T-2;Tarp;Camping > Tents;249,50;05.04.2026'];
const CSV = `Artikelnummer;Bezeichnung;Kategorie;Preis;Verfügbar ab\n${ROWS.join('\n')}\n`;
const FILE = { fileName: 'erp.csv' };
const DATE = 'Verfügbar ab';

describe('the typed client, with a file of its own form', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let client: LongshoreClient;

  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    client = createClient({ baseUrl: world.api.url, token: shop.token, site: { account: shop.account } });
  });

  const jobs = async () => (await client.listJobs({ type: 'ITEM_IMPORT', limit: 10 })).data;

  it('inspects it, and leaves nothing of it', async () => {
    const phases = new Set<string>();
    const onProgress = ({ phase }: ImportProgress) => phases.add(phase);
    const { kind, rows, columns } = await client.inspect(CSV, { ...FILE, onProgress });
    assert.deepEqual([kind.value, rows, columns.length], ['items', 2, 5]);
    assert.deepEqual([...phases], ['upload', 'inspection']);
    const [job, ...others] = await jobs();
    assert.deepEqual([job?.status, others], ['CANCELLED', []]);
    const { data } = await client.listFiles({ limit: 10 });
    const expiry = data.map(({ expiresAt }) => Date.parse(expiresAt ?? ''));
    assert.ok(expiry.length === 1 && (expiry[0] ?? 0) <= Date.now(), 'its bytes are removed');
  });

  it('says what is wrong with a file that is no table, and leaves nothing of that either', async () => {
    const image = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    await assert.rejects(client.inspect(image, FILE), { name: 'LongshoreError', status: 422 });
    assert.deepEqual(
      (await jobs()).map(({ status }) => status),
      ['CANCELLED'],
    );
  });

  it('imports it as it is proposed, with what was decided and what is created', async () => {
    const decisions = { decide: { [DATE]: 'dd.MM.yyyy' }, createMissing: true };
    const { outcome, job } = await client.importFile(CSV, { ...FILE, ...decisions });
    assert.equal(outcome, 'applied', job.statusMessage ?? '');
    assert.equal(job.progressTracker.createdCount, 2);
    const { attributes } = await client.getItem({ sku: 'T-1' });
    assert.equal(Number(attributes.Preis), 1199);
    assert.match(String(attributes[DATE]), /^2026-04-03/);
  });

  it('imports nothing that is not decided, names the question, and leaves nothing of the file', async () => {
    const refused = await client.importFile(CSV, { ...FILE, createMissing: true }).catch((error: unknown) => error);
    assert.ok(refused instanceof LongshoreError);
    assert.equal(refused.code, 'UNDECIDED');
    assert.deepEqual(
      refused.problems.map(({ path }) => path),
      [DATE],
    );
    assert.match(refused.problems[0]?.message ?? '', /"dd\.MM\.yyyy" \(row 2, "03\.04\.2026".*"MM\.dd\.yyyy"/);
    assert.deepEqual(
      (await jobs()).map(({ status }) => status),
      ['CANCELLED'],
    );
    assert.equal((await client.listAttributes()).count, 0);
    const wrong = { ...FILE, decide: { [DATE]: 'yyyy' } };
    await assert.rejects(client.importFile(CSV, wrong), {
      code: 'DECISION_INVALID',
      message: /"yyyy".*"dd\.MM\.yyyy"/,
    });
    const unknown = { ...FILE, decide: { Nothing: 'x' } };
    await assert.rejects(client.importFile(CSV, unknown), { code: 'DECISION_INVALID', message: /nothing to decide/ });
  });

  it('imports it in steps, keeps the profile, and imports the next file by its name', async () => {
    const held = await client.hold(CSV, FILE);
    assert.equal((await held.inspection()).rows, 2);
    const proposal = await held.proposal();
    const [question, ...others] = openQuestions(proposal);
    assert.deepEqual([question?.column, others], [DATE, []]);
    const { profile, missing } = accepted(decide(proposal, { [DATE.toUpperCase()]: 'dd.MM.yyyy' }));
    assert.equal(openQuestions(proposal).length, 1, 'the proposal is as it was');
    const saved = await client.profiles.save('ERP', profile);
    assert.equal(saved.version, 1);
    const all = { attributes: true, options: true, categories: true, assignments: true };
    const first = await held.import({ profile: 'ERP', missing, createMissing: all });
    assert.equal(first.outcome, 'applied');
    assert.equal((await held.followed())?.job.id, first.job.id, 'the same job');
    assert.deepEqual(first.job.profile, { name: 'ERP', version: 1 });
    const again = await client.importFile(CSV, { ...FILE, profile: 'erp' });
    assert.equal(again.job.progressTracker.unchangedCount, 2);
    assert.equal((await client.listJobs({ type: 'FILE_INSPECTION' })).count, 1, 'a profile needs no inspection');
  });

  it('goes on with the same key where an earlier call was interrupted', async () => {
    const key = { ...FILE, idempotencyKey: 'one' };
    const held = await client.hold(CSV, key);
    const result = await client.importFile(CSV, { ...key, createMissing: true, decide: { [DATE]: 'dd.MM.yyyy' } });
    assert.equal(result.file.id, held.file.id);
    const followed = await client.importFile(CSV, { ...key, createMissing: true });
    assert.equal(followed.job.id, result.job.id, 'nothing is asked of a file that is imported');
  });

  it('keeps profiles: it finds, lists, changes and deletes them', async () => {
    const profile = { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from: 'Artikelnummer' }] } as const;
    const document = { ...profile, columns: [...profile.columns] };
    assert.equal(await client.profiles.find('ERP'), undefined);
    assert.equal((await client.profiles.save('ERP', document)).version, 1);
    assert.equal((await client.profiles.save('ERP', { ...document, unknownColumns: 'fail' })).version, 2);
    assert.equal((await client.profiles.find('erp', { version: 1 }))?.profile.unknownColumns, 'warn');
    const own = async () =>
      (await client.profiles.list({ fileType: 'ITEM_IMPORT' }))
        .filter(({ shipped }) => !shipped)
        .map(({ name }) => name);
    assert.deepEqual(await own(), ['ERP']);
    await client.profiles.delete('ERP');
    assert.deepEqual(await own(), []);
  });

  describe('that is read in another way than was found out', () => {
    /** In ISO-8859-2. */
    const POLISH = Buffer.from('Indeks;D\xb3ugo\xb6\xe6\nA-1;12\nA-2;14\n', 'latin1');
    const everything = { createMissing: true, decide: { category: 'Items' } } as const;

    it('is inspected and imported as it is said', async () => {
      const found = await client.inspect(POLISH, { ...FILE, reading: { encoding: 'windows-1252' } });
      assert.equal(found.columns[1]?.name, 'D³ugo¶æ');
      const done = await client.importFile(POLISH, { ...FILE, ...everything, reading: { encoding: 'iso-8859-2' } });
      assert.deepEqual(
        [done.outcome, done.job.progressTracker.createdCount],
        ['applied', 2],
        done.job.statusMessage ?? '',
      );
      const { attributes } = await client.getItem({ sku: 'A-1' });
      assert.deepEqual(Object.keys(attributes).includes('Długość'), true);
    });

    it('is read as its announcement says', async () => {
      const options = { encoding: 'windows-1252' };
      const done = await client.importFile(POLISH, { ...FILE, ...everything, options });
      assert.equal(done.outcome, 'applied', done.job.statusMessage ?? '');
      const { attributes } = await client.getItem({ sku: 'A-1' });
      assert.deepEqual(Object.keys(attributes).includes('D³ugo¶æ'), true);
    });

    it('is proposed anew for a decision about its form, and the others are decided there', async () => {
      const content = 'Artikel;Text;Wert\nSKU;Name;Price\na;Tent;1\nb;Tarp;2\nc;Mat;3\n';
      const open = { ...FILE, ...everything };
      const undecided = client.importFile(content, open);
      await assert.rejects(undecided, { code: 'UNDECIDED', message: /headerRow/ });
      const decisions = { category: 'Items', headerRow: '2' };
      const done = await client.importFile(content, { ...open, decide: decisions });
      // What is decided already stays decided when the proposal is asked for again.
      const held = await client.hold(content, FILE);
      const proposal = await held.proposal({ headerRow: 2 });
      assert.equal(otherReading(proposal, { headerRow: '2' }), undefined);
      assert.deepEqual(otherReading(proposal, { headerRow: '1' }), { headerRow: 1 });
      assert.deepEqual(openQuestions(decide(proposal, decisions)), []);
      await held.discard();
      assert.equal(done.job.progressTracker.createdCount, 3, done.job.statusMessage ?? '');
      const other = await client.importFile(content, { ...open, decide: { HeaderRow: '1', category: 'Items' } });
      assert.equal(other.job.progressTracker.createdCount, 1, 'the row SKU; the others are there already');
    });
  });
});
