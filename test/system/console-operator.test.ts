/** The console and the pages for operators lead to each other where a person has both. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

describe('the console and the pages for operators', function () {
  this.timeout(120_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    browser = await startTestBrowser(world.api.url);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });

  it('lead to each other where a person has both', async () => {
    const { token: secret } = await createToken(world.db, { accountId: null, name: 'operator' });
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
    const person = await ConsolePerson.open(browser);
    await person.logIn(token);
    await person.button(/^You and how it looks/).click();
    await person.button('Log out').waitFor();
    assert.equal(await person.page.getByRole('link', { name: 'Pages for operators' }).count(), 0);
    const operator = await browser.open({ password: secret });
    await operator.goto('/admin');
    await operator.getByRole('link', { name: 'Console' }).click();
    await operator.getByLabel('Token or code').fill(token);
    await operator.getByRole('button', { name: 'Log in' }).click();
    await operator.getByRole('button', { name: /^You and how it looks/ }).click();
    await operator.getByRole('link', { name: 'Pages for operators' }).click();
    await operator.getByRole('heading', { name: 'Now' }).first().waitFor();
  });
});
