/**
 * The operators' pages in a real Chromium, on real processes: each question is answered after what makes the answer true,
 * and anybody can read the pages. With WRITE_SCREENSHOT=1 it renews the picture in docs/run.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { createAccount } from '../../src/domain/access/accounts.js';
import { resolveSite } from '../../src/domain/access/resolve-site.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { answerWith, type Receiver, startReceiver } from '../support/http/receiver.js';
import { Shop } from '../support/http/shop.js';
import { webhookBody } from '../support/http/webhook-definition.js';
import { until } from '../support/until.js';
import { failJob } from '../support/worlds/failed-job.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';
import {
  findBarriers,
  skipWithoutChromium,
  startTestBrowser,
  type TestBrowser,
} from '../support/worlds/test-browser.js';

const PICTURE = fileURLToPath(new URL('../../../docs/run/operators-page.png', import.meta.url));
const WITHIN_MS = 30_000;
const PAGES = ['/admin', '/admin/work', '/admin/endpoints', '/admin/fleet', '/admin/actions'];
const GIANT = 'Giant Stores';

describe("the operators' pages in a browser", function () {
  this.timeout(120_000);
  let world: SystemWorld;
  let browser: TestBrowser;
  let page: Page;
  let receiver: Receiver;
  let giant: Shop;
  let giantJob: string;
  let failedJob: string;
  /** Keeps the rows of all jobs waiting, so that what is true stays true while it is looked at. */
  let lock: pg.Client | undefined;

  before(async function () {
    skipWithoutChromium(this);
    world = await startSystemWorld({ env: { WORKER_CHUNK_ROWS: '500', WEBHOOK_SCHEDULE_SECONDS: '0,1,60' } });
    const { token } = await createToken(world.db, { accountId: null, name: 'on call' });
    browser = await startTestBrowser(world.system.baseUrl, token);
    page = await browser.open();
    receiver = await startReceiver(answerWith(500));
    giant = await newShop(GIANT);
    await giant.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  });
  after(async () => {
    await lock?.end();
    await browser?.stop();
    await receiver?.stop();
    await world?.stop();
  });

  async function newShop(name: string): Promise<Shop> {
    const { id } = await createAccount(world.db, { name });
    const { token } = await createToken(world.db, { accountId: id, name: 'test' });
    const api = { fetch: (path: string, init?: RequestInit) => fetch(`${world.system.baseUrl}${path}`, init) };
    return new Shop(api, id, token, await resolveSite(world.db, id, 'production'));
  }

  async function mainText(): Promise<string> {
    return (await page.getByRole('main').allInnerTexts()).join();
  }

  /** What a section says, once it says this. */
  async function answered(section: string, pattern: RegExp, address = '/admin'): Promise<string> {
    let text = '';
    await until(
      `${address}#${section} says ${pattern}`,
      async () => {
        await page.goto(address);
        text = (await page.locator(`#${section}`).allInnerTexts()).join();
        return pattern.test(text);
      },
      WITHIN_MS,
    ).catch((error: Error) => assert.fail(`${error.message}; it says: ${text}`));
    return text;
  }

  it('show nothing without an operator token', async () => {
    const stranger = await browser.open({ password: giant.token });
    const answer = await stranger.goto('/admin');
    assert.equal(answer?.status(), 403);
    assert.doesNotMatch(await stranger.content(), new RegExp(GIANT));
  });

  it('say that everything works while it does', async () => {
    await answered('connections', /At most \d+ of \d+ connections/);
    await answered('database', /The database has [\d.]+ MiB/);
    await answered('wrong', /no Everything works/i);
    await answered('waits', /Nothing waits/);
    await answered('failed', /No job has failed/);
    await answered('endpoints', /Every circuit breaker is closed/);
  });

  it('say who uses the workers and what waits, when a giant tenant is at work', async () => {
    lock = new pg.Client(world.system.databaseUrl);
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE item IN SHARE ROW EXCLUSIVE MODE');
    const rows = Array.from({ length: 6_000 }, (_, row) => `G-${row},Disk,title`);
    giantJob = await giant.upload('giant.csv', `SKU,Category Node,Title\n${rows.join('\n')}\n`);
    await answered('slots', new RegExp(`\\d+ %\\s+\\d+\\s+${GIANT}.*apply-chunk`));
    await answered('arrival', /bulk\s+[\d.]+\s+[\d.]+\s+4\s+(?!0\.0)[\d.]+/);
    const stuck = await answered('arrival', /stuck Workers wait for a lock of Postgres, the longest for \d+ s/i);
    assert.doesNotMatch(stuck, /keep up/);
    await answered('wrong', /locks .* of workers waits? for a lock .* on the table item, which session \d+/i);
    await answered('empty', /bulk\s+not known: workers wait for a lock/);
    await answered(
      'wanted',
      /bulk\s+1\s+\d+\s+(?:start \d+ more: npm run worker -- bulk\.\s+)?(?:the work needs no more|only so much|Postgres)/,
    );
    const later = await giant.upload('later.csv', 'SKU,Category Node,Title\nG-1,Disk,new\n', { mode: 'update' });
    const waits = await answered('waits', /behind earlier jobs of its stage/);
    assert.ok(waits.includes(later) && waits.includes(GIANT));
    const held = await answered('processes', /apply-chunk [0-9a-f]{24} for/, '/admin/fleet');
    assert.ok(held.includes(giantJob));
    assert.match(held, /alive\s+bulk, export, webhook, maintenance\s+\d+\.\d+\.\d+/);
  });

  it('say which endpoints do not work, and let them be resumed', async () => {
    const target = `${receiver.url}/hook?key=secret-of-the-address`;
    await giant.ask('POST', '/api/v2/webhook', { body: webhookBody({ target }) });
    const event = { source: 'OMS', event: 'ORDER_CREATED', payload: { orderId: 1 } };
    for (let nth = 0; nth < 8; nth++) {
      const sent = await giant.post('/api/v2/event', event, { headers: { 'tenant-key': giant.account } });
      assert.equal(sent.status, 202);
    }
    const endpoints = await answered('endpoints', new RegExp(`127\\.0\\.0\\.1:${receiver.port}.*open`));
    assert.match(endpoints, /in a row[\s\S]*500/);
    assert.doesNotMatch(await page.content(), /secret-of-the-address/);
    const attempts = receiver.received.length;
    await page.goto('/admin/endpoints');
    await page.getByRole('button', { name: 'Resume', exact: false }).first().click();
    await page.waitForURL(/\/admin\/actions\/[0-9a-f]{24}/);
    await until('the endpoint is probed', () => receiver.received.length > attempts, WITHIN_MS);
  });

  it('say which jobs have failed and why, and find them', async () => {
    const other = await newShop('Failing Stores');
    failedJob = await failJob(world.db, other, [{ sku: 'F-1' }]);
    await answered('failed', /WORKER_DIED\s+1\s+1/);
    await answered('wrong', /1 failed job within a day/);
    await page.goto('/admin');
    await page.getByRole('link', { name: /show the jobs/ }).click();
    await page.getByRole('link', { name: failedJob }).click();
    assert.match(await mainText(), /Failing Stores[\s\S]*Processes it has ended\s+\d/);
  });

  it('say that a worker was stopped, and whether there is room', async () => {
    world.system.kill(world.workers()[0] ?? '', 'SIGKILL');
    await answered('processes', /1 process serves maintenance[\s\S]*lost 1 within the last day/);
    await answered('room', /\d+ of \d+ connections to Postgres are open[\s\S]*The file store has [\d.]+ [GTM]iB free/);
  });

  it('have no barriers that axe finds, in light and in dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const reader = await browser.open({ colorScheme });
      for (const address of [...PAGES, `/admin/jobs/${giantJob}`, `/admin/work?by=sku&q=G-1`]) {
        assert.equal((await reader.goto(address))?.status(), 200);
        assert.deepEqual(await findBarriers(reader), [], `${address} in ${colorScheme}`);
        const fits = await reader.evaluate('document.body.scrollWidth <= window.innerWidth');
        assert.equal(fits, true, `${address} is wider than the window`);
      }
      if (colorScheme === 'light' && process.env.WRITE_SCREENSHOT === '1') {
        await reader.goto('/admin');
        await reader.screenshot({ path: PICTURE, fullPage: true });
      }
    }
  });

  it('cut no column of the sections side by side, at any width', async () => {
    const reader = await browser.open();
    for (const width of [1_600, 1_280, 1_000, 800]) {
      await reader.setViewportSize({ width, height: 900 });
      await reader.goto('/admin');
      const cut = await reader.evaluate(
        `[...document.querySelectorAll('.grid .scroll')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)`,
      );
      assert.deepEqual(cut, [], `in a window of ${width} pixels`);
    }
  });

  /** Presses the button below a search, confirms, and waits until the action is done. */
  async function actOnAll(search: string, button: string, explanation: RegExp, confirm: string): Promise<void> {
    await page.goto(`/admin/work?${search}`);
    await page.getByRole('button', { name: button, exact: true }).click();
    assert.match(await mainText(), explanation);
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: confirm, exact: true }).click();
    await page.waitForURL(/\/admin\/actions\/[0-9a-f]{24}/);
    // Without its query it does not renew itself.
    const address = new URL(page.url()).pathname;
    await until(
      'the action is done',
      async () => {
        await page.goto(address);
        return /done\s+\w+ jobs/.test(await mainText());
      },
      WITHIN_MS,
    );
  }
  async function lastStarted(): Promise<string> {
    const entries = await world.db('audit_entry').where({ action: 'OPERATOR_ACTION_STARTED' }).orderBy('id');
    return entries.at(-1)?.target;
  }

  it('cancel all that match, after a confirmation, and leave a record', async () => {
    const { account } = giant;
    const jobs = /Now 2 jobs of 1 account match and have not ended/;
    await actOnAll(`account=${account}`, 'Cancel all that have not ended', jobs, 'Cancel jobs');
    await lock?.end();
    lock = undefined;
    await until('both jobs are cancelled', async () => (await statusesOf(giant)).join() === 'CANCELLED', WITHIN_MS);
    assert.match(await lastStarted(), new RegExp(`cancel \\{"account":"${account}"\\}$`));
    assert.equal((await world.db('audit_entry').where({ action: 'JOB_CANCELLED', account_id: account })).length, 2);
  });

  it('retry all that match, and leave a record', async () => {
    const jobs = /Now 1 job of 1 account match and can be retried/;
    await actOnAll('by=code&q=WORKER_DIED&status=FAILED', 'Retry all', jobs, 'Retry jobs');
    assert.match(await lastStarted(), /retry \{.*"code":"WORKER_DIED".*\}$/);
    const { account_id: account } = await world.db('job').where({ id: failedJob }).first('account_id');
    await until(
      'the retry has ended',
      async () =>
        (await world.db('job').where({ account_id: account }).whereNot({ id: failedJob }).whereNotNull('completed_at'))
          .length === 1,
      WITHIN_MS,
    );
    const { status } = await world.db('job').where({ id: failedJob }).first('status');
    assert.equal(status, 'FAILED', 'the old job stays as it was');
  });

  async function statusesOf({ account }: Shop): Promise<string[]> {
    const rows = await world.db('job').where({ account_id: account, kind: 'item' }).distinct('status');
    return rows.map(({ status }) => status);
  }

  it('have asked for nothing from another host', () => {
    const others = browser.asked.filter(
      (address) => !address.startsWith(world.system.baseUrl) && !address.startsWith('data:'),
    );
    assert.deepEqual(others, []);
  });
});
