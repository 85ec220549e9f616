/**
 * The guide's page for the browser, followed by a new user from the link that `npm start` prints. With WRITE_SCREENSHOT=1 it renews
 * the pictures of that page.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerWith, type Receiver, startReceiver } from '../support/http/receiver.js';
import { GERMAN_CORRECTIONS } from '../support/models/shop-files.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { blocksOf } from '../support/worlds/guide-reader.js';
import { runStart, type StartProcess } from '../support/worlds/launcher-process.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { reservePort } from '../support/worlds/reserved-port.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const PAGE = 'in-the-browser';
const MOST_CLICKS = 12;

describe('the guide in a browser, followed by a new user', function () {
  this.timeout(180_000);
  // Each step goes on where the one before has ended.
  this.bail(true);
  let folder: OpenFolder;
  let system: StartProcess;
  let browser: TestBrowser;
  let receiver: Receiver;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    folder = makeOpenFolder();
    system = runStart({ DATA_DIR: join(folder.path, 'data'), PORT: String(await reservePort()) });
    browser = await startTestBrowser(await system.ready);
    receiver = await startReceiver(answerWith(200, {}, 'thank you'));
    const [, link = ''] = /(http\S+\/console\/#code=\S+) \(logs in once/.exec(system.stderr()) ?? [];
    person = await ConsolePerson.open(browser, link);
  });
  after(async () => {
    await browser?.stop();
    await receiver?.stop();
    await system?.stop('SIGTERM');
    folder?.remove();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const main = () => person.page.getByRole('main');
  const see = (text: string | RegExp) => main().getByText(text).first().waitFor({ timeout: 60_000 });
  const menu = (name: string) =>
    person.click(person.page.getByRole('navigation').getByRole('link', { name, exact: true }));

  it('logs in by the link that npm start prints', async () => {
    await see('Begin with a file');
    await person.settled();
    await person.picture('guide-start');
  });

  it('drops a file as the ERP writes it, answers what it does not decide, and sees what is in it', async () => {
    await person.click(main().getByRole('link', { name: 'Import a file' }).first());
    await see('Drop your file here');
    await person.drop({ name: 'erp.csv', bytes: fileOfThePage(folder) });
    await see('One question before it goes on');
    await see(/Is 05\.04\.2026 in row 2 of “Aktion ab”/);
    await person.picture('guide-question');
    await person.click(main().getByText(/^(April 5, 2026|5 April 2026)$/));
    await see('Everything is clear');
    await person.picture('guide-columns');
  });

  it('sees what would change, and imports with few clicks', async () => {
    await person.click(person.button('See what would change'));
    await see('Would be created');
    await main().getByRole('heading', { name: 'Rows that would fail' }).waitFor();
    await person.picture('guide-preview');
    await person.click(person.button('Import'));
    await main().getByRole('heading', { name: '9 rows failed' }).waitFor({ timeout: 60_000 });
    assert.ok(person.clicks <= MOST_CLICKS, `${person.clicks} clicks from the link to imported rows`);
    await see('auf Anfrage');
    await person.picture('guide-result');
  });

  it('corrects what failed in its place, until nothing fails', async () => {
    for (const [column, value] of Object.entries(GERMAN_CORRECTIONS)) {
      const heading = person.page.getByRole('heading', { name: new RegExp(`^${column}:`) });
      const group = main().locator('.group').filter({ has: heading });
      await group.getByLabel('New value for all').fill(value);
      await group.getByRole('button', { name: /^Correct it/ }).click();
    }
    await person.page.getByLabel('Artikelnummer, row 1241').fill('NEU-1');
    await see('9 of 9 values corrected');
    await person.button('Send 9 rows again').click();
    await see('All rows are imported');
    await see('9 new items');
    await person.picture('guide-corrected');
  });

  it('looks at the items, and exports them', async () => {
    await menu('Items');
    await main()
      .getByRole('row', { name: /A-10040/ })
      .waitFor();
    await menu('Exports');
    await main().getByRole('link', { name: 'New export' }).first().click();
    await person.button('Write the file').click();
    await see('The file is ready: 1,300 rows');
    await person.picture('guide-export');
    const waiting = person.page.waitForEvent('download');
    await person.button('Download').first().click();
    const text = await readFile(await (await waiting).path(), 'utf8');
    assert.match(text, /A-10040.*2026-04-05/);
  });

  it('tells another system, sees what it answered, and sends an event again', async () => {
    await menu('Webhooks');
    await main().getByRole('link', { name: 'Add a webhook' }).first().click();
    await main().getByLabel('Address that is called').fill(`${receiver.url}/hook`);
    await main().getByText('All events of this source').click();
    await main().getByRole('button', { name: 'Create the webhook' }).click();
    await see('The webhook is there');
    await person.button('Send a test').click();
    await see(/The endpoint answered 200/);
    await main().getByRole('link', { name: 'Done, open the webhook' }).click();
    await see('Nothing was sent yet');
    await menu('Exports');
    await main().getByRole('link', { name: 'New export' }).first().click();
    await person.button('Write the file').click();
    await see('The file is ready: 1,300 rows');
    await menu('Webhooks');
    await main()
      .getByRole('link', { name: /127\.0\.0\.1.*hook/ })
      .first()
      .click();
    await main()
      .getByRole('row', { name: /EXPORT_READY.*Delivered/ })
      .waitFor({ timeout: 60_000 });
    await person.picture('guide-webhook');
    await main().getByRole('link', { name: 'EXPORT_READY' }).first().click();
    await see('Attempt 1');
    await see('thank you');
    const before = receiver.received.length;
    await person.button('Send again').click();
    await until('the event arrives a second time', () => receiver.received.length > before, 20_000);
    await see('Attempt 2');
  });

  it('takes the import back, and nothing is left of it', async () => {
    await menu('Imports');
    await main().getByRole('link', { name: 'errors-erp.csv' }).first().click();
    await person.button('Undo').click();
    await person.page.getByText('1,300 items are deleted that it has created').waitFor({ timeout: 60_000 });
    await person.settled();
    await person.picture('guide-undo');
    await person.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await person.page.getByText('It is taken back', { exact: true }).waitFor({ timeout: 60_000 });
    await menu('Items');
    await see('There are no items yet');
  });
});

/** The file that the command of the page writes. */
function fileOfThePage(folder: OpenFolder): Uint8Array {
  const [command = ''] = blocksOf(PAGE)
    .filter(({ kind }) => kind === undefined)
    .map(({ text }) => text);
  const [, program = ''] = /^(.*) > erp\.csv$/.exec(command) ?? [];
  return execFileSync('sh', ['-c', program], { cwd: REPOSITORY, env: { PATH: process.env.PATH, HOME: folder.path } });
}
