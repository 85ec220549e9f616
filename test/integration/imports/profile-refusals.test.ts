/** What is refused of imports by a profile: each with what is wrong, and with nothing half-created. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const NUMBER = { step: 'number', decimal: ',', thousands: '.' };
const PROFILE = {
  fileType: 'ITEM_IMPORT',
  format: { delimiter: ';' },
  columns: [
    { to: 'SKU', from: 'Nr' },
    { to: 'Category Node', constant: 'Hats' },
    { to: 'Price', from: 'VK', steps: [NUMBER] },
  ],
};
const FILE = 'Nr;VK\na;1,5\n';

describe('an import by a profile that cannot be', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await world.startWorkers({}, BULK_ONLY);
  });
  beforeEach(async () => {
    const attributes = [{ name: 'Price', type: 'DECIMAL' }];
    shop = await (await world.newShop()).define({ attributes, categories: { Hats: ['Price'] } });
  });
  after(() => world.stop());

  const announce = (options: object, more: object = {}) =>
    shop.post('/files/product', { fileName: 'x.csv', fileType: 'ITEM_IMPORT', options, ...more });
  const save = (name: string, profile: object = PROFILE) =>
    shop.ask('POST', '/import-profiles', { body: { name, profile } });
  const nothingIsThere = async () => assert.deepEqual(await shop.items(), []);

  it('is refused with its announcement when an option contradicts the profile', async () => {
    for (const option of [
      { delimiter: ';' },
      { encoding: 'utf-8' },
      { decimalSeparator: ',' },
      { dateFormat: 'dd.MM.yyyy' },
    ]) {
      const { status, body } = await announce({ profile: PROFILE, ...option });
      assert.equal(status, 400);
      assert.match(body.message, new RegExp(`options.${Object.keys(option)[0]}: contradicts the profile`));
    }
    await save('ERP');
    const { body } = await shop.post('/files/product', {
      fileName: 'x.xlsx',
      fileType: 'ITEM_IMPORT',
      options: { profile: 'ERP', sheet: 'A' },
    });
    assert.match(body.message, /options.sheet: contradicts the profile "ERP", which says how the file is written/);
  });

  it('is refused when the profile is for other files, or is none', async () => {
    const other = await announce({ profile: { ...PROFILE, fileType: 'BUNDLE_IMPORT' } });
    assert.equal(other.status, 400);
    assert.match(
      other.body.message,
      /options.profile: is for files of BUNDLE_IMPORT, and this file is announced as ITEM_IMPORT/,
    );
    const twice = await announce({ profile: { ...PROFILE, columns: [...PROFILE.columns, { to: 'sku', from: 'VK' }] } });
    assert.match(twice.body.message, /"sku" is filled by the rule 0 already/);
    const step = { to: 'Price', from: 'VK', steps: [{ step: 'guess' }] };
    const unknown = await announce({ profile: { ...PROFILE, columns: [...PROFILE.columns.slice(0, 2), step] } });
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.message, /profile.columns.2.steps.0.step/);
  });

  it('is refused when a step is undecided, with the readings and a row for each', async () => {
    const undecided = [
      { value: 'dd.MM.yyyy', label: 'the 3rd of April', row: 2, example: '03.04.2026' },
      { value: 'MM.dd.yyyy', label: 'the 4th of March', row: 2, example: '03.04.2026' },
    ];
    const columns = [
      { to: 'SKU', from: 'Nr' },
      { to: 'Price', from: 'VK', steps: [{ step: 'date', undecided }] },
    ];
    const file = await shop.hold(FILE);
    const start = (profile: object) => shop.importHeld(file, { profile });
    const { status, body } = await start({ ...PROFILE, columns });
    assert.equal(status, 400);
    assert.match(body.message, /"VK" can be read in 2 ways \("dd.MM.yyyy": row 2, "03.04.2026", is the 3rd of April;/);
    // Nothing has changed: the file can still be imported.
    assert.equal((await start(PROFILE)).status, 202);
    assert.equal((await shop.outcome(file.jobId)).created, 1);
  });

  it('is refused when there is no such profile, or it belongs to another account or stage', async () => {
    await save('ERP');
    const { status, body } = await announce({ profile: 'ERB' });
    assert.equal(status, 404);
    assert.match(body.message, /there is no import profile "ERB": did you mean "ERP"\?/);
    const other = await world.newShop();
    const theirs = await other.post('/files/product', {
      fileName: 'x.csv',
      fileType: 'ITEM_IMPORT',
      options: { profile: 'ERP' },
    });
    assert.equal(theirs.status, 404);
    const options = { profile: 'ERP' };
    const stage = await shop.post(
      '/files/product',
      { fileName: 'x.csv', fileType: 'ITEM_IMPORT', options },
      { context: { stage: 'test' } },
    );
    assert.equal(stage.status, 404);
  });

  it('is rejected when the file lacks columns of the profile, or has others that it accepts no', async () => {
    const lacking = await shop.importFile('x.csv', 'Nummer;VKP\na;1\n', { profile: PROFILE });
    assert.deepEqual([lacking.status, lacking.reason], ['REJECTED', 'MISSING_COLUMN']);
    assert.match(lacking.message, /"Nr", which the header of the file, row 1, does not have/);
    assert.match(lacking.message, /"VK", which .* did you mean "VKP"\?/);
    const profile = { ...PROFILE, unknownColumns: 'fail' };
    const unknown = await shop.importFile('x.csv', 'Nr;VK;Notiz\na;1,5;x\n', { profile });
    assert.deepEqual([unknown.status, unknown.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
    assert.match(unknown.message, /"Notiz" is not in the profile/);
    await nothingIsThere();
  });

  it('is none only because the file lacks a column that it may lack, of an attribute that the catalog lacks as well', async () => {
    const columns = [...PROFILE.columns, { to: 'Weight', from: 'Gewicht', optional: true }];
    const profile = { ...PROFILE, columns };
    const done = await shop.importFile('x.csv', 'Nr;VK\na;1,5\nb;zwei\n', { profile });
    assert.deepEqual([done.status, done.created, done.failed], ['COMPLETED_PARTIALLY', 1, 1], done.message);
    const { bytes } = await shop.download(done.errorFile ?? '');
    assert.match(bytes.toString(), /^\uFEFF?Nr;VK;_row;.*\r?\nb;zwei;/);
    const there = await shop.importFile('x.csv', 'Nr;VK;Gewicht\na;1,5;3\n', { profile });
    assert.deepEqual([there.status, there.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
    assert.match(there.message, /column 4, "Weight", is not an attribute of this site/);
    const without = { ...PROFILE, columns: [{ to: 'SKU', from: 'Id', optional: true }, ...PROFILE.columns.slice(1)] };
    const keyless = await shop.importFile('x.csv', FILE, { profile: without });
    assert.equal(keyless.status, 'REJECTED');
    assert.match(keyless.message, /SKU/);
  });

  it('is rejected when the profile does not fit the catalog: an attribute that is gone, or a second key', async () => {
    const gone = { ...PROFILE, columns: [...PROFILE.columns, { to: 'Weight', from: 'VK' }] };
    const done = await shop.importFile('x.csv', FILE, { profile: gone });
    assert.deepEqual([done.status, done.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
    assert.match(done.message, /^The profile does not fit the catalog\. .*"Weight", is not an attribute of this site/);
    const article = { name: 'Article', type: 'TEXT', validation: { required: true, unique: true } };
    await shop.define({ attributes: [article], mapping: { sku: 'Article' } });
    const columns = [{ to: 'Article', from: 'Nr' }, { to: 'SKU', from: 'VK' }, ...PROFILE.columns.slice(1, 2)];
    const two = await shop.importFile('x.csv', 'Nr;VK\na;b\n', { profile: { ...PROFILE, columns } });
    assert.deepEqual([two.created, two.failed], [0, 1], JSON.stringify(two));
    const [wrong] = two.errors;
    assert.deepEqual([wrong?.row, wrong?.column, wrong?.code, wrong?.value], [2, 'Nr', 'VALUE_PATTERN', 'a']);
    assert.match(
      wrong?.message ?? '',
      /"Article" is mapped to the SKU, so that it always equals it; leave it out, or give "b"/,
    );
    const none = await shop.importFile('x.csv', FILE, { profile: { ...PROFILE, columns: PROFILE.columns.slice(1) } });
    assert.equal(none.status, 'REJECTED');
    assert.match(none.message, /no SKU column|"Article"/);
    await nothingIsThere();
  });

  it('is rejected when there is nothing to read', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const skipping = { ...PROFILE, skipRowsWhen: [{ column: 'Nr', is: { equals: ['a'] } }] };
    const cases: [string, string | Buffer, object][] = [
      ['EMPTY_FILE', '', PROFILE],
      ['EMPTY_FILE', '\n\n', PROFILE],
      ['WRONG_FORMAT', png, PROFILE],
      ['NO_ROWS', 'Nr;VK\n', PROFILE],
      ['NO_ROWS', FILE, skipping],
      ['INVALID_HEADER', FILE, { ...PROFILE, format: { headerRow: 9 } }],
      ['INVALID_HEADER', ' ; \na;1\n', PROFILE],
      ['INVALID_ENCODING', Buffer.from('Nr;VK\n\xe4;1\n', 'latin1'), PROFILE],
    ];
    for (const [reason, content, profile] of cases) {
      const done = await shop.importFile('x.csv', content, { profile });
      assert.deepEqual([done.status, done.reason], ['REJECTED', reason], done.message);
    }
    const json = await shop.importFile('x.json', '[{"Nummer":"a"}]', { profile: { ...PROFILE, format: {} } });
    assert.deepEqual([json.status, json.reason], ['REJECTED', 'MISSING_COLUMN']);
    await nothingIsThere();
  });

  describe('with a default profile of the site', () => {
    const setDefault = (name: string | null) =>
      shop.ask('PATCH', '/site-settings', { body: { defaultProfiles: { ITEM_IMPORT: name } } });

    it('uses it for files that are announced without one, held or not, but not for JSON', async () => {
      await save('ERP');
      await setDefault('erp');
      const done = await shop.importFile('x.csv', FILE);
      assert.equal(done.created, 1, JSON.stringify(done));
      assert.deepEqual((await shop.ask('GET', `/jobs/${done.id}`)).profile, { name: 'ERP', version: 1 });
      const file = await shop.hold('Nr;VK\nb;2\n');
      assert.equal((await shop.imported(file, {})).created, 1);
      const json = await shop.importFile('x.json', '[{"sku":"c","nodeName":"Hats"}]');
      assert.equal(json.created, 1, json.message);
    });

    it('uses none for `null`, and none for the error file of a job without one', async () => {
      await save('ERP');
      await setDefault('ERP');
      const done = await shop.importFile('x.csv', 'SKU;Category Node;Price\na;Hats;x\n', { profile: null });
      assert.deepEqual([done.failed, done.errors[0]?.column], [1, 'Price']);
      assert.equal((await shop.ask('GET', `/jobs/${done.id}`)).profile, null);
      const { name, bytes } = await shop.download(done.errorFile ?? '');
      const again = await shop.importFile(name, bytes.toString('utf8').replace(';x;', ';1.5;'));
      assert.equal(again.created, 1, JSON.stringify(again));
    });

    it('says that it has read the file when that is in our own form, and how to do without', async () => {
      await save('ERP');
      await setDefault('ERP');
      const refused = await shop.importFile('x.csv', 'SKU;Category Node;Price\na;Hats;1.5\n');
      assert.deepEqual([refused.status, refused.reason], ['REJECTED', 'MISSING_COLUMN']);
      assert.match(
        refused.message,
        /The file was read by the profile "ERP", the default of such files\. If its columns are those of Longshore itself, send "profile": null\.$/,
      );
      const chosen = await shop.importFile('x.csv', 'SKU;Category Node;Price\na;Hats;1.5\n', { profile: 'ERP' });
      assert.doesNotMatch(chosen.message, /default/, 'who names it knows it');
    });

    it('refuses an option that contradicts it, and says that it was deleted', async () => {
      await save('ERP');
      await setDefault('ERP');
      const { status, body } = await announce({ delimiter: ';' });
      assert.equal(status, 400);
      assert.match(
        body.message,
        /"ERP", the default of such files, which says how the file is written: leave it out, or send "profile": null/,
      );
      assert.equal((await announce({ delimiter: ';', profile: null })).status, 200);
      assert.equal((await shop.call('DELETE', '/import-profiles/ERP')).status, 200);
      const gone = await announce({});
      assert.equal(gone.status, 409);
      assert.match(gone.body.message, /the default profile of files of ITEM_IMPORT, "ERP", was deleted/);
    });
  });
});
