/** Logins to the console in a real Chromium: by an identity provider, and by links of somebody else. */
import assert from 'node:assert/strict';
import { makeLoginCode } from '../../src/domain/access/login-codes.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { type ProviderWorld, startProviderWorld } from '../support/worlds/provider-world.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';

describe('logins to the console', function () {
  this.timeout(180_000);
  let world: ProviderWorld;
  let browser: TestBrowser;

  before(async function () {
    skipWithoutChromium(this);
    world = await startProviderWorld();
    Object.assign(world.provider.users, {
      kim: { name: 'Kim <b>', groups: ['shop-owner'] },
      robin: { name: 'Robin', groups: ['shop-editor', 'other-editors'] },
      nobody: { name: 'Nobody', groups: ['staff'] },
    });
    browser = await startTestBrowser(world.api.url);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });

  const named = (person: ConsolePerson, name: string) =>
    person.page.getByRole('button', { name: `You and how it looks: ${name}` }).waitFor();

  it('go to the provider and come back to the page that one had opened', async () => {
    const person = await ConsolePerson.open(browser, '/console/production/sessions');
    await person.button('Log in with Company Login').waitFor();
    await person.assertOpenInEachLook('the login with a provider');
    await person.button('Log in with Company Login').click();
    await person.page.getByRole('link', { name: 'Log in as kim' }).click();
    await named(person, 'Kim <b>');
    await person.page.getByRole('heading', { name: 'Your sessions' }).waitFor();
    const { pathname, search } = new URL(person.page.url());
    assert.deepEqual([pathname, search], ['/console/production/sessions', '']);
    // The people of the provider are listed as such.
    await person.page.getByRole('link', { name: 'People', exact: true }).click();
    const row = person.page.getByRole('row', { name: /Kim <b>.*Logs in with 127\.0\.0\.1/ });
    await row.waitFor();
    assert.equal(await row.getByRole('button').count(), 0);
    // Logging out ends our session: the way back asks the provider only.
    await person.page.getByRole('button', { name: /You and how it looks/ }).click();
    await person.button('Log out').click();
    await person.button('Log in with Company Login').click();
    await named(person, 'Kim <b>');
    assert.deepEqual(person.wrong, []);
  });

  it('return to no other site, whatever is stored', async () => {
    for (const planted of ['//evil.example/console/', '/docs']) {
      const page = await browser.open();
      await page.goto('/console/');
      await page.getByRole('button', { name: 'Log in with Company Login' }).click();
      await page.getByRole('link', { name: 'Log in as kim' }).waitFor();
      const address = page.url();
      await page.goto('/console/');
      await page.evaluate(`sessionStorage.setItem('longshore.return', ${JSON.stringify(planted)})`);
      await page.goto(address);
      await page.getByRole('link', { name: 'Log in as kim' }).click();
      await page.getByRole('button', { name: /You and how it looks/ }).waitFor();
      assert.match(page.url(), new RegExp(`^${world.api.url}/console/`), planted);
    }
  });

  it('say who has no role why, and ask who has several accounts for one', async () => {
    const person = await ConsolePerson.open(browser);
    await person.button('Log in with Company Login').click();
    await person.page.getByRole('link', { name: 'Log in as nobody' }).click();
    const said = person.page.getByRole('alert');
    await said.getByText(/your groups are "staff": none of them has a role here/).waitFor();
    await person.assertOpenInEachLook('a login that was refused');
    const other = await ConsolePerson.open(browser);
    await other.button('Log in with Company Login').click();
    await other.page.getByRole('link', { name: 'Log in as robin' }).click();
    await other.page.getByText('Which account do you want to log in to?').waitFor();
    await other.assertOpenInEachLook('the choice of an account');
    await other.button('Another shop').click();
    await named(other, 'Robin');
    const [entry] = await world.api
      .db('audit_entry')
      .where({ action: 'SESSION_STARTED' })
      .orderBy('id', 'desc')
      .limit(1);
    assert.equal(entry.account_id, world.accounts[1]);
    assert.deepEqual([...person.wrong, ...other.wrong], []);
  });

  it('go on in the other window when a session has ended in the middle of something', async () => {
    const person = await ConsolePerson.open(browser, '/console/production/people');
    await person.button('Log in with Company Login').click();
    await person.page.getByRole('link', { name: 'Log in as kim' }).click();
    await person.button('Invite somebody').first().click();
    await person.page.getByLabel('Name').fill('Typed before');
    const ended = await world.api.db('session').whereNull('ended_at').update({ ended_at: new Date() }).returning('id');
    for (const { id } of ended) world.api.services.tokens.forgetSession(id);
    await person.button('Make a link').click();
    const again = person.button('Log in with Company Login');
    await again.waitFor();
    const [other] = await Promise.all([person.page.context().waitForEvent('page'), again.click()]);
    await other.getByRole('button', { name: 'Log in with Company Login' }).click();
    await other.getByRole('button', { name: /You and how it looks/ }).waitFor();
    await person.page.bringToFront();
    await person.page.locator('.one-time-text').waitFor();
    const people = await world.api.db('access_token').where({ name: 'Typed before' });
    assert.equal(people.length, 1);
    assert.deepEqual(person.wrong, []);
  });

  it('by a link of somebody else ask first, and the link stays good', async () => {
    const { id, token } = await createToken(world.api.db, { accountId: world.api.account, name: 'Alex' });
    const other = await createToken(world.api.db, { accountId: world.accounts[1], name: 'Mallory <i>' });
    const codeOf = async (tokenId: string) =>
      (await world.api.db.transaction((trx) => makeLoginCode(trx, tokenId, 15))).code;
    const person = await ConsolePerson.open(browser);
    await person.logIn(token);
    const code = await codeOf(other.id);
    // The same address with another fragment is the same page to a browser.
    const open = async (link: string) => {
      await person.page.goto('about:blank');
      await person.page.goto(`/console/#code=${link}`);
    };
    await open(code);
    await person.page.getByText('You are logged in as Alex. Log in as Mallory <i> instead?').waitFor();
    await person.assertOpenInEachLook('the question about another session');
    await person.button('Stay Alex').click();
    await named(person, 'Alex');
    await open(code);
    await person.button('Log in as Mallory <i>').click();
    await named(person, 'Mallory <i>');
    // One's own link asks nothing.
    await open(await codeOf(other.id));
    await named(person, 'Mallory <i>');
    const unused = () => world.api.db('login_code').where({ token_id: other.id }).whereNull('used_at');
    await until('the link is used', async () => (await unused()).length === 0, 20_000);
    assert.ok(id !== other.id);
    assert.deepEqual(person.wrong, []);
  });
});
