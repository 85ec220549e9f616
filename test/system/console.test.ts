/**
 * The console in a real Chromium, as somebody uses it for the first time: from the login to imported rows, to no failed
 * row, and back. With WRITE_SCREENSHOT=1 it renews the pictures in docs/pictures.
 */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { GERMAN_CORRECTIONS, shopFileOf } from '../support/models/shop-files.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** So many that each kind of mistake is in the file. */
const ROWS = 1_300;
const MOST_CLICKS = 12;

describe('the console, from a login to imported rows', function () {
  this.timeout(180_000);
  // Each step goes on where the one before has ended.
  this.bail(true);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let token: string;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder', chunkRows: 500 });
    shop = await world.newShop();
    ({ token } = await createToken(world.db, { accountId: shop.account, name: 'Kim from purchasing' }));
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const mainText = async () => (await person.page.getByRole('main').allInnerTexts()).join();
  const items = async () => (await shop.ask('GET', '/api-product/v1/product?limit=1')).count;

  it('shows a login that everybody can use', async () => {
    await person.page.getByLabel('Token or code').waitFor();
    await person.assertOpenInEachLook('the login');
    await person.page.getByLabel('Token or code').fill('lst_wrong');
    await person.button('Log in').click();
    await person.page.getByText('This token or code is not valid').waitFor();
  });

  it('says what to do first where nothing was imported yet', async () => {
    await person.logIn(token);
    await person.page.getByText('Begin with a file').waitFor();
    await person.click(person.page.getByRole('link', { name: 'Imports', exact: true }));
    await person.page.getByText('Nothing was imported here yet').waitFor();
    await person.page.getByText('Customers see what you change here').waitFor();
    await person.assertOpenToAll('the empty list');
    await person.click(person.page.getByRole('link', { name: 'Import a file' }).first());
    await person.page.getByText('Drop your file here').waitFor();
    await person.assertOpenToAll('the page that takes a file');
  });

  it('shows what is in the German file, and asks what the file does not decide', async () => {
    const { bytes } = await shopFileOf('de', ROWS, { offers: true });
    await person.drop({ name: 'german.csv', bytes });
    await person.page.getByText('One question before it goes on').waitFor();
    assert.match(await mainText(), /Is 05\.04\.2026 in row 2 of “Aktion ab” \D*(April|5)/);
    assert.match(await mainText(), /1,300 rows · 41 columns · windows-1252/);
    assert.equal(await person.button('Import').isDisabled(), true);
    await person.assertOpenToAll('the mapping');
    await person.picture('console-mapping');
    await person.click(person.page.getByText(/^(April 5, 2026|5 April 2026)$/));
    await person.page.getByText('Everything is clear').waitFor();
  });

  it('shows what would change before anything is written', async () => {
    await person.click(person.button('See what would change'));
    await person.page.getByText('Would be created').waitFor();
    await person.page.getByRole('heading', { name: 'Rows that would fail' }).waitFor();
    assert.match(await mainText(), /Would be created\s+1,291[\s\S]*Would fail\s+9/);
    await person.assertOpenToAll('the preview');
    assert.equal(await items(), 0);
  });

  it('imports with few clicks, and shows what became of the rows', async () => {
    await person.click(person.button('Import'));
    await person.page.getByRole('heading', { name: '9 rows failed' }).waitFor({ timeout: 60_000 });
    assert.match(await mainText(), /Created\s+1,291[\s\S]*Failed\s+9/);
    assert.equal(await items(), 1_291);
    assert.ok(person.clicks <= MOST_CLICKS, `${person.clicks} clicks from the login to imported rows`);
    await person.page.getByText('auf Anfrage').first().waitFor();
    await person.assertOpenToAll('the result');
  });

  it('corrects failed rows by group and in the grid, and sends them again until none fails', async () => {
    const { page } = person;
    for (const [column, value] of Object.entries(GERMAN_CORRECTIONS)) {
      const group = page
        .locator('.group')
        .filter({ has: page.getByRole('heading', { name: new RegExp(`^${column}:`) }) });
      await group.getByLabel('New value for all').fill(value);
      await group.getByRole('button', { name: /^Correct it/ }).click();
    }
    await page.getByText('8 of 9 values corrected').waitFor();
    // The row that has no key is corrected in its place; Enter leads on, as in a spreadsheet.
    await page.getByLabel('Artikelnummer, row 1241').fill('NEU-1');
    await page.getByText('9 of 9 values corrected').waitFor();
    await page.evaluate(`scrollTo(0, document.querySelector('.failed-grid').offsetTop - 420)`);
    await person.picture('console-failed-rows');
    await person.button('Send 9 rows again').click();
    await page.getByText('All rows are imported').waitFor({ timeout: 60_000 });
    assert.match(await mainText(), /Created\s+9[\s\S]*Failed\s+0/);
    assert.equal(await items(), ROWS);
    const { attributes } = await shop.ask('GET', '/api-product/v1/product/A-10040');
    assert.equal(attributes.Preis, '1950.27');
    assert.match(attributes.Bezeichnung, /Trekkingrad|Rennrad|Cadence/);
    await person.assertOpenToAll('the import of the corrected rows');
  });

  it('takes back the import and its corrections, after it has said what that is', async () => {
    await person.button('Undo').click();
    await person.page.getByText('1,300 items are deleted that it has created').waitFor({ timeout: 60_000 });
    await person.assertOpenToAll('the question before an import is undone');
    await person.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await person.page.getByText('It is taken back', { exact: true }).waitFor({ timeout: 60_000 });
    assert.equal(await items(), 0);
  });

  it('lists what was done, and finds it by its outcome', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Imports', exact: true }).click();
    await page.getByRole('row', { name: /german\.csv.*Some rows failed/ }).waitFor();
    await person.assertOpenToAll('the list');
    await person.picture('console-imports');
    await page.goto('/console/production/imports?outcome=COMPLETED_PARTIALLY');
    await page.getByRole('row', { name: /german\.csv.*Some rows failed/ }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
  });

  it('has asked no other host for anything', () => {
    const others = browser.asked.filter(
      (address) => !/^(?:data|blob):/.test(address) && !address.startsWith(world.api.url),
    );
    assert.deepEqual(others, []);
  });
});
