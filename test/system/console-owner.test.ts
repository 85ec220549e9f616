/** The overview, people and sessions in a real Chromium. What tenants store is text in each of them. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { createToken } from '../../src/domain/access/tokens.js';
import { answerWith, type Receiver, startReceiver } from '../support/http/receiver.js';
import type { Shop } from '../support/http/shop.js';
import { webhookBody } from '../support/http/webhook-definition.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const MARKUP = '<img src=x onerror="document.title=1">';

describe('the overview, people and sessions in the console', function () {
  this.timeout(180_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let receiver: Receiver;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({
      workers: true,
      files: 'in a folder',
      environment: { WEBHOOK_SCHEDULE_SECONDS: '0,600' },
    });
    shop = await world.newShop();
    receiver = await startReceiver(answerWith(500));
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim, owner' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await receiver?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const main = () => person.page.getByRole('main');
  const mainText = () => textOf(main());
  const see = (text: string | RegExp) => main().getByText(text).first().waitFor();
  const follow = (name: string | RegExp) =>
    person.page
      .getByRole('link', { name, exact: typeof name === 'string' })
      .first()
      .click();
  const emit = (payload: unknown) =>
    shop.call('POST', '/api/v2/event', {
      body: { source: 'OMS', event: 'ORDER_CREATED', orderNumber: `SO-${MARKUP}`, payload },
      headers: { 'tenant-key': shop.account },
    });

  it('shows in the overview what the API says: what waits, what failed, and how many by day', async () => {
    await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ target: `${receiver.url}/hooks` }) });
    await emit({ status: 'PAID' });
    await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] }, mapping: { title: 'Title' } });
    const rows = ['SKU,Category Node,Title', 'A-1,Disk,One', ',Disk,None', `${'x'.repeat(300)},Disk,Two`].join('\n');
    await shop.importFile(`${MARKUP}.csv`, rows);
    const asking = await shop.upload('ask.csv', 'SKU,Category Node,Title\nB-1,Disk,B', { requireApproval: true });
    const waits = async () => (await shop.ask('GET', `/jobs/${asking}`)).status === 'AWAITING_APPROVAL';
    await until('its preview is there', waits, 20_000);
    await shop.hold('a;b\n1;2\n', {});
    await until(
      'the endpoint fails',
      async () => {
        const [{ health }] = await shop.ask('GET', '/api/v2/webhook');
        return health.failuresInARow > 0;
      },
      20_000,
    );
    const statistics = await shop.ask('GET', '/jobs/statistics');
    await follow('Longshore, first page');
    await person.page.reload();
    await see('1 endpoint does not answer as it should');
    await see('1 import needs approval');
    const text = await mainText();
    assert.match(text, /1 file is not mapped yet/);
    assert.match(text, /What goes wrong most, and in whose files/);
    assert.ok(text.includes(`${MARKUP}.csv`), text);
    const [{ created, failed }] = statistics.days;
    await person.page.getByText('Show the numbers').first().click();
    assert.match(await mainText(), new RegExp(`Created\\s+${created}\\b[\\s\\S]*Failed\\s+${failed}\\b`));
    assert.equal(await main().locator('img').count(), 0);
    await person.assertOpenToAll('the overview');
    await follow(`${MARKUP}.csv`);
    await person.page.getByRole('heading', { level: 1, name: `${MARKUP}.csv` }).waitFor();
  });

  it('invites people, changes their roles and takes their access away', async () => {
    await follow('People');
    await person.button('Invite somebody').first().click();
    await person.page.getByLabel('Name').fill(MARKUP);
    await person.page.getByText('Sees everything and changes nothing').click();
    await person.assertOpenToAll('an invitation');
    await person.button('Make a link').click();
    const link = await textOf(person.page.locator('.one-time-text'));
    await person.assertOpenToAll('the link of an invitation');
    await person.button('Done').click();
    await main()
      .getByRole('row', { name: /Viewer.*Invited until/ })
      .waitFor();
    await person.assertOpenToAll('the people');
    const { hash } = new URL(link);
    const guest = await ConsolePerson.open(browser, `/console/${hash}`);
    await guest.page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await guest.page.getByRole('link', { name: /127\.0\.0\.1.*hooks/ }).click();
    await guest.page.getByRole('heading', { name: 'Events' }).waitFor();
    // A role sees no control that it may not use.
    assert.equal(await guest.button('Send a test').count(), 0);
    assert.equal(await guest.page.getByRole('link', { name: 'People', exact: true }).count(), 0);
    await person.button(`Change: ${MARKUP}`).click();
    await person.page.getByText('May do everything, and invites others').click();
    await person.button('Save').click();
    await main()
      .getByRole('row', { name: /Owner.*Has access/ })
      .waitFor();
    await person.button(`Remove: ${MARKUP}`).click();
    await person.button('Remove').click();
    await until('the person is gone', async () => !(await mainText()).includes(MARKUP), 10_000);
    await until(
      'the guest has to log in again',
      async () => {
        await guest.page.reload();
        return (await guest.page.getByLabel('Token or code').count()) > 0;
      },
      20_000,
    );
  });

  it('lists sessions, and ends all others', async () => {
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Robin' });
    const [first, second] = [await ConsolePerson.open(browser), await ConsolePerson.open(browser)];
    await first.logIn(token);
    await second.logIn(token);
    await first.page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await first.page.getByRole('heading', { name: 'Your sessions' }).waitFor();
    await first.page.getByText('this one').waitFor();
    await first.assertOpenToAll('the sessions');
    await first.button('End all others').click();
    await first.page.getByText('The session is ended').waitFor();
    await until(
      'the other has to log in again',
      async () => {
        await second.page.reload();
        return (await second.page.getByLabel('Token or code').count()) > 0;
      },
      20_000,
    );
    assert.deepEqual([...first.wrong, ...second.wrong], []);
  });
});

/** What is seen of a place, once it is there. */
async function textOf(place: Locator): Promise<string> {
  await place.first().waitFor();
  return (await place.allInnerTexts()).join();
}
