/** The console when a newer version of it is installed while a window is open. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

describe('the programs of the console', function () {
  this.timeout(120_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let token: string;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] }, mapping: { title: 'Title' } });
    await shop.importFile('first.csv', 'SKU,Category Node,Title\nA-1,Disk,One\n');
    ({ token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' }));
    browser = await startTestBrowser(world.api.url);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });

  async function logged(address: string): Promise<ConsolePerson> {
    const person = await ConsolePerson.open(browser, `/console/production/${address}`);
    person.page.setDefaultTimeout(45_000);
    await person.logIn(token);
    return person;
  }

  /**
   * What a window meets after a deployment: the file of a part is not there any more, and the page begins with another program.
   * @param ends whether the window gets the newer version when it is loaded again, in which the part is there
   */
  async function deploy(page: Page, part: RegExp, ends: boolean): Promise<void> {
    let isOver = false;
    await page.route(part, (route) => (isOver ? route.continue() : route.fulfill({ status: 404, body: '{}' })));
    await page.route(/\/console\/production\//, async (route) => {
      if (route.request().resourceType() === 'document') {
        isOver = ends;
        return route.continue();
      }
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replaceAll(/\bmain-\w+\.js/g, 'main-NEWER.js'),
      });
    });
  }

  it('are loaded anew where another page is opened, and what was typed is there again', async () => {
    const { page, ...person } = await logged('webhooks/new');
    await page.getByLabel('Address that is called').fill('https://typed.example/kim');
    await deploy(page, /\/assets\/sessions-page-/, true);
    const loaded = page.waitForEvent('domcontentloaded');
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await loaded;
    await page.getByRole('heading', { name: 'Your sessions' }).waitFor();
    await page.goto('/console/production/webhooks/new');
    await page.getByText('What you typed before is here again').waitFor();
    assert.equal(await page.getByLabel('Address that is called').inputValue(), 'https://typed.example/kim');
    assert.deepEqual(person.wrong, []);
  });

  it('are not loaded in circles between servers of two versions: one is asked', async () => {
    const { page, wrong } = await logged('webhooks');
    await deploy(page, /\/assets\/sessions-page-/, false);
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await page.getByText('A newer version of this page is there').waitFor();
    assert.equal(await page.getByText('Longshore does not answer').count(), 0);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Load it' }).click();
    await page.getByRole('heading', { name: 'Your sessions' }).waitFor();
    assert.deepEqual(wrong, []);
  });

  it('say it where nobody is logged in, too, instead of showing nothing', async () => {
    const person = await ConsolePerson.open(browser, '/console/production/webhooks');
    const { page } = person;
    await deploy(page, /\/assets\/login-/, false);
    await page.reload();
    await page.getByText('A newer version of this page is there').waitFor();
    await page.unrouteAll();
    await person.button('Load it').click();
    await page.getByLabel('Token or code').waitFor();
    assert.deepEqual(person.wrong, []);
  });

  it('say over an open dialog that a part of it needs the newer version, and keep what is typed there', async () => {
    const part = /\/assets\/choice-list-/;
    const person = await ConsolePerson.open(browser, '/console/production/attributes');
    const { page } = person;
    page.setDefaultTimeout(45_000);
    // The line was cut when the browser was idle.
    await page.route(part, (route) => route.abort());
    await person.logIn(token);
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
    await person.button('New attribute').click();
    await name.fill('Weight');
    await deploy(page, part, true);
    await page.getByRole('dialog').getByRole('button', { name: /Type$/ }).click();
    const note = page.getByText('A newer version of this page is there');
    await note.waitFor();
    await person.assertOpenInEachLook('a newer version over a dialog');
    assert.equal(await name.inputValue(), 'Weight');
    await person.button('Load it').click();
    await note.waitFor({ state: 'detached' });
    await person.button('New attribute').click();
    assert.equal(await name.inputValue(), 'Weight');
    assert.deepEqual(person.wrong, []);
  });
});
