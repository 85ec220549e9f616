/** The client in pages of a real Chromium: those of an origin that CORS_ORIGINS names, and those of another. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const CLIENT = fileURLToPath(new URL('../../../packages/client/dist/', import.meta.url));

interface Shown {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly requestId: string | null;
}

describe('the client in a browser', function () {
  this.timeout(60_000);
  let shop: Server;
  let stranger: Server;
  let world: World;
  let browser: TestBrowser;
  let allowed: Page;
  let other: Page;
  let account: string;
  let token: string;

  before(async function () {
    skipWithoutChromium(this);
    shop = await startPages();
    stranger = await startPages();
    world = await startWorld({ workers: true, files: 'in a folder', environment: { CORS_ORIGINS: originOf(shop) } });
    ({ account, token } = await world.newShop());
    browser = await startTestBrowser(originOf(shop));
    allowed = await browser.open();
    await allowed.goto(`${originOf(shop)}/`);
    other = await browser.open();
    await other.goto(`${originOf(stranger)}/`);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
    shop?.close();
    stranger?.close();
  });

  /** Runs a program with `longshore` in a page. */
  function inPage<T>(page: Page, program: string, given: { baseUrl?: string; token?: string } = {}): Promise<T> {
    const options = { baseUrl: world.api.url, token, site: { account }, retries: 1, ...given };
    return page.evaluate(`(async () => {
      const { createClient } = await import('/index.js');
      const longshore = createClient(${JSON.stringify(options)});
      ${program}
    })()`);
  }

  /** How a call fails there. */
  const failureIn = (page: Page, given?: { baseUrl?: string; token?: string }): Promise<Shown> =>
    inPage(
      page,
      `return longshore.listJobs({ limit: 1 }).then(
        () => ({ code: 'none', status: 200, message: '', requestId: null }),
        ({ code, status, message, requestId }) => ({ code, status, message, requestId: requestId ?? null }));`,
      given,
    );

  it('calls the API from a page of an origin that is named, with every header that it sends', async () => {
    const outcome = await inPage<{ outcome: string; failed: number; errorFile: string }>(
      allowed,
      `await longshore.createAttributes(
         { body: [{ name: 'Title', type: 'TEXT' }, { name: 'Price', type: 'DECIMAL' }] },
         { wait: 10, requestId: 'from-a-page' });
       const { nodeId } = await longshore.createCategory({ body: { name: 'Disk' } });
       const itemAttributes = ['Title', 'Price'].map((name) => ({ name, action: 'SET' }));
       await longshore.setCategoryAttributes({ body: { nodeId, itemAttributes } });
       const rows = new Blob(['SKU,Category Node,Title,Price\\nB-1,Disk,One,1\\nB-2,Disk,Two,x\\n']);
       const result = await longshore.importFile(rows, { fileName: 'items.csv' });
       const { outcome, job } = result;
       const errorFile = await (await result.errorFile()).text();
       return { outcome, failed: job.progressTracker.errorCount, errorFile };`,
    );
    assert.deepEqual([outcome.outcome, outcome.failed], ['partly', 1]);
    assert.match(outcome.errorFile, /B-2,Disk,Two,x/);
  });

  it("inspects a shop's own file there, shows what is open, and imports it as it was decided", async () => {
    const outcome = await inPage<{ rows: number; open: string[]; created: number }>(
      allowed,
      `const { accepted, decide, openQuestions } = await import('/index.js');
       const lines = ['Item No;Product;Category;Retail price;Since', 'P-1;Pan;Kitchen > Pans;1.199,00;03.04.2026',
         'P-2;Wok;Kitchen > Pans;249,50;05.04.2026', 'P-3;Pot;Kitchen > Pots;39,90;11.02.2026'];
       const file = new Blob([lines.join('\\n')]);
       const { rows } = await longshore.inspect(file, { fileName: 'erp.csv' });
       const held = await longshore.hold(file, { fileName: 'erp.csv' });
       const proposal = await held.proposal();
       const open = openQuestions(proposal).map(({ column }) => column);
       const all = { attributes: true, options: true, categories: true, assignments: true };
       const decided = accepted(decide(proposal, { Since: 'dd.MM.yyyy' }));
       const { job } = await held.import({ ...decided, createMissing: all });
       return { rows, open, created: job.progressTracker.createdCount };`,
    );
    assert.deepEqual(outcome, { rows: 3, open: ['Since'], created: 3 });
  });

  it('reads a refusal there, with its code and the id of the request', async () => {
    const { code, status, requestId } = await failureIn(allowed, { token: 'expired' });
    assert.equal(status, 401);
    assert.notEqual(code, 'BLOCKED');
    assert.match(requestId ?? '', /^[0-9a-f-]{36}$/);
  });

  it('says that a call was blocked, and by which setting it is allowed', async () => {
    const { code, status, message } = await failureIn(other);
    assert.deepEqual([code, status], ['BLOCKED', 0]);
    assert.ok(message.includes(originOf(stranger)), message);
    assert.match(message, /CORS_ORIGINS/);
  });

  it('does not take a server that does not answer for a blocked call', async () => {
    const gone = await startPages();
    const baseUrl = originOf(gone);
    gone.close();
    await once(gone, 'close');
    for (const page of [allowed, other]) assert.equal((await failureIn(page, { baseUrl })).code, 'NETWORK');
  });

  it('lets no page send cookies or passwords of the browser', async () => {
    const send = (credentials: string) =>
      allowed.evaluate(
        `fetch(${JSON.stringify(`${world.api.url}/healthz`)}, { credentials: '${credentials}' }).then((answer) => answer.status, () => 'blocked')`,
      );
    assert.equal(await send('omit'), 200);
    assert.equal(await send('include'), 'blocked');
  });
});

/** A page, and the client as it is built, from an origin of its own. */
async function startPages(): Promise<Server> {
  const server = createServer(async ({ url = '/' }, response) => {
    if (url === '/')
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Shop</title>');
    try {
      const content = await readFile(join(CLIENT, normalize(url)));
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(content);
    } catch {
      return response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
