/**
 * The pages of webhooks in a real Chromium: from a new account and the first test to a filter, a replay and a new secret.
 * What tenants and endpoints say is text in each of them.
 */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { createToken } from '../../src/domain/access/tokens.js';
import { answerWith, type Receiver, startReceiver } from '../support/http/receiver.js';
import { VERIFIERS } from '../support/http/run-verifier.js';
import type { Shop } from '../support/http/shop.js';
import { webhookBody } from '../support/http/webhook-definition.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const MARKUP = '<img src=x onerror="document.title=1">';

describe('webhooks in the console', function () {
  this.timeout(180_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let receiver: Receiver;
  let person: ConsolePerson;
  let secret: string;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({
      workers: true,
      files: 'in a folder',
      environment: { WEBHOOK_SCHEDULE_SECONDS: '0,600' },
    });
    shop = await world.newShop();
    receiver = await startReceiver(answerWith(200, {}, `I answer 200 ${MARKUP}`));
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

  it('says what to do first in a new account', async () => {
    await see('Begin with a file');
    await person.assertOpenToAll('the overview of a new account');
    await follow('Webhooks');
    await see('No system is told anything yet');
    await person.assertOpenToAll('no webhooks');
  });

  it('makes a webhook by keyboard alone, and shows its secret once', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Add a webhook' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Address that is called').waitFor();
    await person.assertOpenToAll('the form of a webhook');
    await page.getByLabel('Address that is called').focus();
    await page.keyboard.type(`${receiver.url}/hooks`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.getByRole('radio', { name: /Your order management/ }).isChecked(), true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await see('The webhook is there');
    await person.assertOpenToAll('the secret of a new webhook');
    secret = await textOf(main().locator('.one-time-text'));
    assert.match(secret, /^whsec_/);
    await person.button('Send a test').click();
    await see(/The endpoint answered 200/);
    await see(`I answer 200 ${MARKUP}`);
    await follow('Done, open the webhook');
    await see('Nothing was sent yet');
    await person.assertOpenToAll('a new webhook');
    assert.equal((await page.content()).includes(secret), false);
  });

  it('shows an event with its attempt, its request and its answer, and sends it again', async () => {
    await emit({ status: 'PAID', name: MARKUP });
    await main()
      .getByRole('row', { name: /ORDER_CREATED.*Delivered/ })
      .waitFor({ timeout: 20_000 });
    await person.assertOpenToAll('a webhook with an event');
    await follow('ORDER_CREATED');
    await see('Attempt 1');
    await see(`I answer 200 ${MARKUP}`);
    assert.match(await mainText(), /"status": "PAID"/);
    assert.equal(await main().locator('img').count(), 0);
    await person.assertOpenToAll('an event');
    const before = receiver.received.length;
    await person.button('Send again').click();
    await until('the event arrives a second time', () => receiver.received.length > before, 20_000);
    await see('Attempt 2');
  });

  it('finds the events of an order, and of a name, which are in the address', async () => {
    const { page } = person;
    const [webhook] = await shop.ask('GET', '/api/v2/webhook');
    const seen = page.url();
    await page.goto(`/console/production/webhooks/${webhook.webhookId}`);
    const rows = main().getByRole('row', { name: /ORDER_CREATED/ });
    await rows.first().waitFor();
    await page.getByLabel('Order number').fill('no such order');
    await see('No event is like this');
    await person.assertOpenToAll('no event of an order');
    await page.getByLabel('Order number').fill(`SO-${MARKUP}`);
    await rows.first().waitFor();
    assert.match(page.url(), /order=/);
    await page.reload();
    await rows.first().waitFor();
    assert.equal(await page.getByLabel('Order number').inputValue(), `SO-${MARKUP}`);
    await page.getByLabel('Event', { exact: true }).fill('ORDER_CANCELLED');
    await see('No event is like this');
    await page.goBack();
    await rows.first().waitFor();
    await page.goto(seen);
  });

  it('shows attempts as they were made after the webhook was changed, and how it is called now', async () => {
    const [{ webhookId }] = await shop.ask('GET', '/api/v2/webhook');
    const target = `${receiver.url}/hooks/moved`;
    await shop.ask('PATCH', `/api/v2/webhook/${webhookId}`, { body: { target, headers: { 'x-team': MARKUP } } });
    await person.page.reload();
    await see('So it was sent before the webhook was changed');
    assert.match(await mainText(), /POST http:\/\/127\.0\.0\.1:\d+\/hooks\n/);
    await see(/: address, headers\./);
    await person.button('Send again').click();
    await see('Request of attempt 3');
    await see('Request of attempts 1 to 2');
    assert.match(await mainText(), /attempt 3.*hooks\/moved.*attempts 1 to 2.*\/hooks\n/s);
    await person.assertOpenToAll('an event of a webhook that was changed');
  });

  it('explains the signature with programs that are right about what was received', async () => {
    await follow('How the signature is checked');
    await see('Three headers of each request');
    await person.assertOpenToAll('the signature');
    const received = receiver.received.at(-1);
    assert.ok(received !== undefined);
    for (const [language, judge] of Object.entries(VERIFIERS)) {
      await person.page.getByRole('tab', { name: language }).click();
      const program = await textOf(main().locator('.code-block pre'));
      assert.equal(judge(program, secret, received.headers, received.body), 'true', language);
      assert.equal(judge(program, secret, received.headers, `${received.body} `), 'false', language);
    }
    await person.page.getByLabel('Secret').fill(secret);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      await person.page.getByRole('textbox', { name, exact: true }).fill(received.headers[name] ?? '');
    }
    await person.page.getByLabel('Body, byte for byte').fill(received.body);
    await person.button('Check').click();
    await see('The signature is right');
    await person.page.getByLabel('Body, byte for byte').fill(received.body.replace('PAID', 'OPEN'));
    await person.button('Check').click();
    await see('The signature is not right');
    await person.assertOpenToAll('the trial of a signature');
  });

  it('tries a filter on real events before it is saved', async () => {
    await emit({ status: 'OPEN' });
    await follow(/127\.0\.0\.1.*hooks/);
    await follow('Filter');
    await see('The last events');
    const field = person.page.getByRole('textbox', { name: 'Filter as JSON' });
    await field.fill('{"path":"status"');
    await person.button('Try it').click();
    await see(/This is not JSON/);
    await field.fill('{"path":"status","equals":"PAID"}');
    await person.button('Try it').click();
    await see(/expected a JSON pointer/);
    await field.fill('{"path":"/total","equals":12345678901234567890}');
    await person.button('Try it').click();
    await see(/cannot keep all digits of 12345678901234567890/);
    await person.button('a value').click();
    await person.button('Try it').click();
    await see('1 of 2 events pass');
    await person.assertOpenToAll('the filter');
    await person.button('Save the filter').click();
    await person.page.getByText('The filter applies to events from now on').waitFor();
    const [definition] = await shop.ask('GET', '/api/v2/webhook');
    assert.deepEqual(definition.filter, { path: '/status', equals: 'PAID' });
    assert.equal((await emit({ status: 'OPEN' })).body.deliveries, 0);
  });

  it('counts what would be sent again, and sends it', async () => {
    await follow(/127\.0\.0\.1.*hooks/);
    await person.page.getByRole('link', { name: 'Send several again' }).click();
    await see('What became of them');
    await person.page.getByText('Never sent to it').click();
    await person.page.getByText('The endpoint gets them a second time').click();
    await person.button('Count them').click();
    await see(/2 events would be sent/);
    await person.assertOpenToAll('the replay');
    const before = receiver.received.length;
    await person.button('Send 2 events again').click();
    await see(/2 events are on their way/);
    await until('they arrive', () => receiver.received.length >= before + 2, 20_000);
  });

  it('replaces the secret with both dates, changes the webhook, and switches it off and on', async () => {
    await follow(/127\.0\.0\.1.*hooks/);
    await person.button('New secret').click();
    await person.button('Make a new secret').click();
    await person.page.getByText('Old secret signs until').waitFor();
    await person.assertOpenToAll('a new secret');
    assert.notEqual(await textOf(person.page.locator('.one-time-text')), secret);
    await person.button('I have kept it').click();
    await follow('Change');
    await person.page.getByText('More settings').click();
    await person.page.getByLabel('At most so many requests a second').fill('many');
    await person.button('Save').click();
    await see(/rateLimit/);
    await person.page.getByLabel('At most so many requests a second').fill('50');
    const [{ webhookId }] = await shop.ask('GET', '/api/v2/webhook');
    await shop.ask('PATCH', `/api/v2/webhook/${webhookId}`, { body: { rateLimit: 40 } });
    await person.button('Save').click();
    await see('Somebody else has saved this since you opened it');
    await person.assertOpenToAll('a webhook that somebody else has saved');
    assert.equal((await shop.ask('GET', '/api/v2/webhook'))[0].rateLimit, 40);
    await person.button('Show what is saved now').click();
    await until(
      'it is shown',
      () =>
        person.page
          .getByLabel('At most so many requests a second')
          .inputValue()
          .then((value) => value === '40'),
      20_000,
    );
    await person.page.getByText('More settings').click();
    await person.page.getByLabel('At most so many requests a second').fill('50');
    await person.button('Save').click();
    await person.page.getByText('The webhook is changed').waitFor();
    const [definition] = await shop.ask('GET', '/api/v2/webhook');
    assert.deepEqual([definition.rateLimit, definition.events], [50, ['*']]);
    await person.button('Switch off').click();
    await see('This webhook is switched off');
    await person.assertOpenToAll('a webhook that is off');
    await person.button('Switch on').click();
    await person.button('Switch off').waitFor();
  });

  it('says that a webhook is gone when it was deleted', async () => {
    await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() });
    await follow('Webhooks');
    await follow(/127\.0\.0\.1:9/);
    await person.button('Delete').click();
    await person.assertOpenToAll('the question before a webhook is deleted');
    await person.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await person.page.getByText('The webhook is deleted').waitFor();
    assert.equal((await shop.ask('GET', '/api/v2/webhook')).length, 1);
  });

  it('says in each language why an endpoint fails, and claims no rate of an endpoint that was not called lately', async () => {
    const { page } = person;
    const [{ webhookId }] = await shop.ask('GET', '/api/v2/webhook');
    const failing = { failure_streak: 12, openings: 3, open_until: new Date(Date.now() + 600_000) };
    const last = 'the target refused the connection: nothing listens at this address and port';
    // The window of the breaker is over.
    const since = { window_failures: 3, window_attempts: 3, window_began_at: new Date(Date.now() - 600_000) };
    await world
      .db('endpoint_health')
      .where({ definition_id: webhookId })
      .update({ ...failing, ...since, last_error: last });
    await page.goto('/console/production/webhooks');
    await page.getByRole('row', { name: /hooks\/moved.*Held back – 0/ }).waitFor();
    await page.goto(`/console/production/webhooks/${webhookId}`);
    await see(`The last error: ${last}`);
    const lately = page.locator('.figure', { hasText: 'Failed lately' });
    assert.match(await textOf(lately), /–/, 'no attempt was made lately: that is not 0 %');
    await person.setLooks('de', 'dark');
    await see(/Letzter Fehler: das Ziel hat die Verbindung abgelehnt/);
    await page.goto('/console/production/overview');
    await see(/Letzter Fehler: das Ziel hat die Verbindung abgelehnt/);
    assert.doesNotMatch(await mainText(), /refused/);
    await person.setLooks('en', 'light');
    await page.goto('/console/production/webhooks');
  });

  it('lists all of many webhooks, a page after the other', async () => {
    for (let made = 0; made < 59; made++) await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() });
    const { page } = person;
    await page.reload();
    await see('1 to 50');
    const targets = async () => new Set(await main().locator('td a, th a').allInnerTexts());
    const earlier = await targets();
    assert.equal(earlier.size, 50);
    await person.assertOpenToAll('one page of many webhooks');
    await person.button('Further webhooks').click();
    await page.waitForURL(/webhooks\?page=2$/);
    await see('51 to 60');
    const further = await targets();
    assert.equal(further.size, 10);
    assert.deepEqual(
      [...further].filter((target) => earlier.has(target)),
      [],
    );
    assert.equal(await person.button('Further webhooks').isDisabled(), true);
    await person.button('Earlier webhooks').click();
    await see('1 to 50');
  });
});

/** What is seen of a place, once it is there. */
async function textOf(place: Locator): Promise<string> {
  await place.first().waitFor();
  return (await place.allInnerTexts()).join();
}
