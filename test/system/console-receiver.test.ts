/**
 * The link of a receiver in a real Chromium: the owner makes it, the partner opens it without an account, sees attempts and
 * the check of the signature, has an event sent again, and sees nothing more when it is revoked.
 */
import assert from 'node:assert/strict';
import { answerWith, type Receiver, startReceiver } from '../support/http/receiver.js';
import type { Shop } from '../support/http/shop.js';
import { webhookBody } from '../support/http/webhook-definition.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const MARKUP = '<img src=x onerror="document.title=1">';

describe('the link of a receiver in the console', function () {
  this.timeout(180_000);
  let world: World;
  let browser: TestBrowser;
  let receiver: Receiver;
  let shop: Shop;
  let webhookId: string;
  let owner: ConsolePerson;
  let partner: ConsolePerson;
  let link: string;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, environment: { WEBHOOK_SCHEDULE_SECONDS: '0,600' } });
    shop = await world.newShop();
    receiver = await startReceiver(answerWith(500, {}, `I answer 500 ${MARKUP}`));
    const body = webhookBody({ target: `${receiver.url}/partner`, events: ['*'] });
    ({ webhookId } = await shop.ask('POST', '/api/v2/webhook', { body }));
    browser = await startTestBrowser(world.api.url);
    owner = await ConsolePerson.open(browser);
    await owner.logIn(shop.token);
  });
  after(async () => {
    await browser?.stop();
    await receiver?.stop();
    await world?.stop();
  });
  afterEach(() => {
    assert.deepEqual(owner?.wrong ?? [], []);
    assert.deepEqual(partner?.wrong ?? [], []);
  });

  const see = (person: ConsolePerson, text: string | RegExp) =>
    person.page.getByRole('main').getByText(text).first().waitFor();
  const emit = (event: string) =>
    shop.call('POST', '/api/v2/event', {
      body: { source: 'OMS', event, orderNumber: `SO-${MARKUP}`, payload: { name: MARKUP } },
      headers: { 'tenant-key': shop.account },
    });

  it('is made by the owner on the page of the webhook, and shown once', async () => {
    const { page } = owner;
    await page.goto(`/console/production/webhooks/${webhookId}`);
    await owner.button('Make a link').click();
    await page.getByLabel('Who gets it').fill(`Partner ${MARKUP}`);
    await page.getByText('May have events sent again').click();
    await owner.assertOpenInEachLook('the dialog of a link');
    await page.getByRole('dialog').getByRole('button', { name: 'Make a link' }).click();
    const shown = page.locator('.one-time-text');
    await shown.waitFor();
    link = (await shown.allInnerTexts()).join();
    await owner.assertOpenInEachLook('a new link');
    await owner.button('Done').click();
    await see(owner, 'Not opened yet');
    assert.ok(!(await page.content()).includes(link));
    await owner.assertOpenInEachLook('a webhook with a link');
  });

  it('shows the partner whose endpoint it is and until when, without menu and stage, and what to do first', async () => {
    const address = new URL(link);
    const place = await startTestBrowser(world.api.url);
    // Another browser: what the owner is logged in to is not there.
    await browser.stop();
    browser = place;
    partner = await ConsolePerson.open(browser, `${address.pathname}${address.hash}`);
    await see(partner, 'test sends events to this address.');
    await see(partner, /The link for Partner .* is valid until/);
    await see(partner, 'Nothing was sent yet');
    assert.equal(await partner.page.getByRole('navigation').count(), 0);
    assert.equal(new URL(partner.page.url()).hash, '');
    assert.equal(await partner.page.locator('img').count(), 0);
    await partner.assertOpenInEachLook('what a receiver sees first');
  });

  it('shows an event with its attempts, its request and the next attempt, as text', async () => {
    const { page } = partner;
    await emit('ORDER_CREATED');
    await page.getByRole('row', { name: /ORDER_CREATED.*Waiting.*500/ }).waitFor({ timeout: 20_000 });
    await partner.assertOpenInEachLook('the events of a receiver');
    await page.getByRole('link', { name: 'ORDER_CREATED' }).focus();
    await page.keyboard.press('Enter');
    await see(partner, 'Attempt 1');
    await see(partner, `I answer 500 ${MARKUP}`);
    await see(partner, /next attempt/);
    assert.match((await page.getByRole('main').allInnerTexts()).join(), /"name": "<img src=x/);
    assert.equal(await page.locator('img').count(), 0);
    await partner.setLooks('de', 'light');
    await see(partner, 'antwortete 500');
    assert.equal(await page.getByText('answered 500').count(), 0, 'what the API says has words in German');
    await partner.assertOpenInEachLook('an event of a receiver');
    await partner.picture('console-receiver');
    const before = receiver.received.length;
    await partner.button('Send again').click();
    await until('it arrives again', () => receiver.received.length > before, 20_000);
    await see(partner, 'Attempt 2');
  });

  it('says that attempts went to another address before, and does not name it', async () => {
    const target = `${receiver.url}/partner/moved`;
    await shop.ask('PATCH', `/api/v2/webhook/${webhookId}`, { body: { target } });
    await partner.page.reload();
    await see(partner, 'So it was sent before the webhook was changed');
    await see(partner, 'another address');
    await partner.assertOpenInEachLook('an event that went to another address');
    await partner.button('Send again').click();
    await see(partner, 'Attempt 3');
  });

  it('explains the check of the signature, and stays when the page is loaded again', async () => {
    const { page } = partner;
    await page.getByRole('link', { name: 'How the signature is checked' }).click();
    await see(partner, 'Three headers of each request');
    await partner.assertOpenInEachLook('the signature for a receiver');
    await page.goBack();
    await see(partner, 'Attempt 3');
    await page.reload();
    await see(partner, 'Attempt 3');
    await page.getByRole('link', { name: /127\.0\.0\.1.*partner/ }).click();
    await see(partner, /is valid until/);
  });

  it('opens nothing else: neither the console, nor the link a second time in another browser', async () => {
    const { page } = partner;
    await page.goto('/console/');
    await page.getByLabel('Token or code').waitFor();
    const other = await startTestBrowser(world.api.url);
    try {
      const { pathname, hash } = new URL(link);
      const late = await ConsolePerson.open(other, `${pathname}${hash}`);
      await see(late, 'This link is not valid');
      await late.assertOpenInEachLook('a link that is not valid');
    } finally {
      await other.stop();
    }
    // The same link in the browser that has opened it shows what it has shown.
    const { pathname, hash } = new URL(link);
    await page.goto(`${pathname}${hash}`);
    await see(partner, /is valid until/);
  });

  it('shows nothing more when it is revoked', async () => {
    const [{ id }] = (await shop.ask('GET', `/api/v2/webhook/${webhookId}/receiver-links`)).data;
    assert.equal((await shop.call('DELETE', `/api/v2/webhook/${webhookId}/receiver-links/${id}`)).status, 204);
    await see(partner, 'This link is not valid');
    assert.ok(!(await partner.page.content()).includes('ORDER_CREATED'));
  });
});
