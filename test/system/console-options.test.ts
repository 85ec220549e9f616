/** The console with an attribute of very many options: it stays usable. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** More the API does not accept. */
const OPTIONS = 10_000;
/** So many suggestions are shown; a browser with more of them is slow. */
const MOST_SUGGESTED = 1_000;

describe('an attribute with very many options in the console', function () {
  this.timeout(240_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    const colours = Array.from({ length: OPTIONS - 1 }, (_, index) => `colour ${index}`);
    await shop.define({
      attributes: ['Title', { name: 'Colour', type: 'OPTIONS', optionsType: 'TEXT', options: ['red', ...colours] }],
      categories: { Disk: ['Title', 'Colour'] },
      mapping: { title: 'Title' },
    });
    await shop.importFile('first.csv', 'SKU,Category Node,Title,Colour\nA-1,Disk,One,red\n');
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(45_000);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  it('suggests options that contain what is typed, of very many', async () => {
    const { page } = person;
    await page.goto('/console/production/items/item?sku=A-1');
    await person.button('Edit').click();
    const field = page.getByLabel('Colour of A-1');
    await field.fill('9998');
    const suggested = () => page.evaluate<string[]>(`[...document.activeElement.list.options].map((one) => one.value)`);
    assert.ok((await suggested()).includes('colour 9998'));
    await field.fill('');
    assert.equal((await suggested()).length, MOST_SUGGESTED);
    await field.fill('colour 7777');
    await person.button('See what would change').click();
    await person.button('Write these changes').click();
    await page.getByText('1 item was changed').waitFor();
    assert.equal((await shop.item('A-1'))?.attributes.Colour, 'colour 7777');
  });

  it('shows an attribute with very many options', async () => {
    const { page } = person;
    await page.goto('/console/production/attributes');
    await page.getByRole('button', { name: 'Colour' }).click();
    await page.getByLabel('Options, one on each line').waitFor();
    await page.getByLabel('Description').fill('The colour of the case');
    await person.button('Close').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
