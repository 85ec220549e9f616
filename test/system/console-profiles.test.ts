/** Import profiles in a real Chromium: edited with a preview on the last file, renamed, copied, deleted; of two people the later is told. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { askedWhileHeld } from '../support/worlds/held-requests.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const CSV = `Artikel;Name;VK;Gruppe;<b>Notiz</b>
A-1;Rad;1.950,27;Storage;eins
A-2;"<i>Rad</i>";auf Anfrage;Storage;zwei
`;
const PROFILE = {
  fileType: 'ITEM_IMPORT',
  format: { delimiter: ';' },
  columns: [
    { to: 'SKU', from: 'Artikel' },
    { to: 'Title', from: 'Name' },
    { to: 'Category Node', from: 'Gruppe' },
    { to: null, from: 'VK' },
  ],
};

describe('import profiles in the console', function () {
  this.timeout(180_000);
  // Each step goes on where the one before has ended.
  this.bail(true);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Storage: ['Title', 'Price'] },
    });
    await shop.ask('POST', '/import-profiles', { body: { name: 'ERP', profile: PROFILE } });
    await shop.importFile('liste.csv', CSV, { profile: 'ERP' });
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim from purchasing' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(20_000);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const page = () => person.page;
  const save = () => person.button('Save').click();
  const stored = (name = 'ERP') => shop.ask('GET', `/import-profiles/${encodeURIComponent(name)}`);
  /** Somebody else, elsewhere. */
  const change = async (over: object) =>
    shop.ask('PUT', '/import-profiles/ERP', { body: { profile: { ...(await stored()).profile, ...over } } });

  it('are listed, with those that come with Longshore', async () => {
    await page().getByRole('link', { name: 'Imports', exact: true }).click();
    await page().getByRole('link', { name: 'Profiles', exact: true }).click();
    await page().getByRole('link', { name: 'shopify-products' }).waitFor();
    await person.assertOpenToAll('the profiles');
    await page().getByRole('link', { name: 'ERP', exact: true }).click();
    await page().getByRole('heading', { name: 'ERP', exact: true }).waitFor();
  });

  it('show what they make of the last file that was imported with them', async () => {
    await page().getByRole('cell', { name: 'Rad', exact: true }).waitFor();
    await page()
      .getByText(/liste\.csv, imported with it/)
      .first()
      .waitFor();
    await page().getByText('<i>Rad</i>').first().waitFor();
    await person.assertOpenToAll('a profile');
  });

  it('are edited with a live preview, column by column', async () => {
    await page().getByRole('button', { name: 'Edit “VK”' }).click();
    await page().getByLabel('Becomes').fill('Price');
    await page().keyboard.press('Tab');
    await page()
      .getByRole('button', { name: /Add a conversion/ })
      .click();
    await page().getByRole('option', { name: 'Read a number' }).click();
    await page().getByRole('dialog').getByText('1950.27').waitFor();
    await page()
      .getByRole('dialog')
      .getByText(/is no number with a comma/)
      .waitFor();
    await person.assertOpenToAll('one column of a profile');
    await person.picture('console-profile');
    await person.button('Done').click();
    await page()
      .getByRole('cell', { name: /1950\.27/ })
      .waitFor();
    assert.equal((await stored()).version, 1, 'nothing is saved yet');
  });

  it('keep what was edited when the page is loaded again, and are saved as a version', async () => {
    await page().reload();
    await page().getByText('There are changes that are not saved').waitFor();
    await page()
      .getByRole('cell', { name: /1950\.27/ })
      .waitFor();
    await save();
    await page().getByText('“ERP” is saved as version 2').waitFor();
    const { profile } = await stored();
    assert.deepEqual(profile.columns[3], {
      to: 'Price',
      from: 'VK',
      steps: [{ step: 'number', decimal: ',', thousands: '.' }],
    });
  });

  it('take up a column that they do not name, and leave out rows', async () => {
    await person.button('Add “<b>Notiz</b>”').click();
    await page().getByLabel('Becomes').fill('Note');
    await page().keyboard.press('Tab');
    await person.button('Done').click();
    await person.button('Add a condition').click();
    await page().getByLabel('Column of the file').fill('Artikel');
    await page().keyboard.press('Tab');
    await page()
      .getByRole('button', { name: /Its cell/ })
      .click();
    await page().getByRole('option', { name: 'is one of these texts' }).click();
    await page().getByLabel('Texts, one on each line').fill('A-2');
    await page().getByText('left out', { exact: true }).waitFor();
    await save();
    await page().getByText('“ERP” is saved as version 3').waitFor();
    assert.deepEqual((await stored()).profile.skipRowsWhen, [{ column: 'Artikel', is: { equals: ['A-2'] } }]);
  });

  it('tell the later of two people what the other has changed', async () => {
    await change({ unknownColumns: 'fail' });
    await page().getByLabel('Encoding', { exact: true }).fill('windows-1252');
    await save();
    await page().getByText('Somebody else has changed this profile').waitFor();
    await person.assertOpenToAll('a profile that was changed meanwhile');
    assert.equal((await stored()).profile.format.encoding, undefined, 'nothing is overwritten');
    await person.button('Take theirs').click();
    await page().getByText('Nothing is changed').waitFor();
    await page().getByLabel('Encoding', { exact: true }).fill('windows-1252');
    await change({ unknownColumns: 'ignore' });
    await save();
    await person.button('Save yours over it').click();
    await page().getByText('“ERP” is saved as version 6').waitFor();
    const { profile } = await stored();
    assert.deepEqual([profile.format.encoding, profile.unknownColumns], ['windows-1252', 'fail']);
  });

  it('say what is around cells, in each way that files are written', async () => {
    const ways = [
      [/^single quotes/, { quote: "'" }],
      [/within cells as/, { escape: '\\' }],
      [/^nothing$/, { quote: '' }],
      [/^double quotes "$/, {}],
    ] as const;
    for (const [name, expected] of ways) {
      const before = (await stored()).version;
      await page()
        .getByRole('button', { name: /Around cells/ })
        .click();
      await page().getByRole('option', { name }).click();
      await save();
      await page()
        .getByText(`“ERP” is saved as version ${before + 1}`)
        .waitFor();
      const { quote, escape: sign } = (await stored()).profile.format;
      assert.deepEqual({ quote, escape: sign }, { quote: undefined, escape: undefined, ...expected });
    }
  });

  it('join rows that continue the row above, and show in the preview what becomes of them', async () => {
    const columns = [
      { to: 'SKU', from: 'Handle' },
      { to: 'Title', from: 'Titel' },
      { to: 'Note', from: 'Bild', optional: true },
    ];
    await shop.ask('POST', '/import-profiles', {
      body: { name: 'Bilder', profile: { fileType: 'ITEM_IMPORT', columns } },
    });
    const rows = ['P-1,Rad,b.jpg,2', 'P-1,,a.jpg,1', 'P-2,Sattel,c.jpg,1'];
    await shop.importFile('bilder.csv', `Handle,Titel,Bild,Platz\n${rows.join('\n')}\n`, { profile: 'Bilder' });
    await page().goto('/console/production/imports/profiles/profile?name=Bilder');
    await page().getByRole('cell', { name: 'c.jpg', exact: true }).waitFor();
    await person.button('Join rows').click();
    const fill = async (label: string, text: string) => {
      await page().getByLabel(label, { exact: true }).fill(text);
      await page().keyboard.press('Tab');
    };
    await fill('Column of the file', 'Titel');
    await fill('Both rows have the same text in', 'Handle');
    await fill('Values of the column', 'Bild');
    await fill('Ordered by the numbers in', 'Platz');
    await page().getByText('continues row 2').waitFor();
    const joined = page()
      .getByRole('row', { name: /^2 P-1 Rad/ })
      .getByRole('cell')
      .last();
    await until('the values are joined', async () => (await joined.textContent()) === 'a.jpg\nb.jpg', 20_000);
    await person.assertOpenToAll('rows that continue the row above');
    await save();
    await page().getByText('“Bilder” is saved as version 2').waitFor();
    assert.deepEqual((await stored('Bilder')).profile.continuationRows, {
      when: { column: 'Titel', is: 'empty' },
      same: 'Handle',
      collect: [{ column: 'Bild', orderBy: 'Platz' }],
    });
    await person.button('Do not join rows').click();
    await page().getByText('continues row 2').waitFor({ state: 'detached' });
    await save();
    await page().getByText('“Bilder” is saved as version 3').waitFor();
    assert.equal((await stored('Bilder')).profile.continuationRows, undefined);
    await shop.ask('DELETE', '/import-profiles/Bilder');
    await page().goto('/console/production/imports/profiles/profile?name=ERP');
  });

  it('are copied, renamed and deleted', async () => {
    await person.button('Copy').click();
    await page().getByLabel('Name', { exact: true }).fill('ERP');
    await page().getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
    await page()
      .getByText(/there is an import profile "ERP" already/)
      .waitFor();
    await page().getByLabel('Name', { exact: true }).fill('Händler <1>');
    const enterTwice = async () => {
      for (let pressed = 0; pressed < 2; pressed++) await page().keyboard.press('Enter');
    };
    assert.equal(await askedWhileHeld(page(), /\/import-profiles$/, enterTwice), 1, 'Enter twice makes one copy');
    await page().getByRole('heading', { name: 'Händler <1>' }).waitFor();
    await person.button('Rename').click();
    await page().getByLabel('Name', { exact: true }).fill('Händler 2');
    await page().getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page().getByRole('heading', { name: 'Händler 2' }).waitFor();
    assert.equal((await stored('Händler 2')).version, 1);
    await person.button('Delete').click();
    await page().getByText('Its only version is deleted.').waitFor();
    await person.assertOpenToAll('the question before a profile is deleted');
    await page().getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page().getByRole('link', { name: 'ERP', exact: true }).waitFor();
    assert.equal((await shop.get('/import-profiles/H%C3%A4ndler%202')).status, 404);
  });

  it('that come with Longshore are looked at and copied, and not changed', async () => {
    await page().getByText('The product CSV of Magento 2 and Adobe Commerce').waitFor();
    await person.setLooks('de', 'light');
    await page().getByText('Die Produkt-CSV von Magento 2 und Adobe Commerce').waitFor();
    await person.setLooks('en', 'light');
    await page().getByRole('link', { name: 'magento' }).click();
    await page().getByText('Copy it to change it.').waitFor();
    assert.equal(await person.button('Save').count(), 0);
    await person.assertOpenToAll('a profile that comes with Longshore');
  });
});
