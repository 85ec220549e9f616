/** What each role sees in the console: on every page that its router lists no control that the role may not use, and the API refuses it all the same. */
import assert from 'node:assert/strict';
import { ROLE_NAMES, ROLES } from '../../src/domain/access/roles.js';
import { type ConsoleAccount, openConsoleAccount } from '../support/worlds/console-account.js';
import { consoleDialogs } from '../support/worlds/console-dialogs.js';
import { consolePages } from '../support/worlds/console-pages.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';

/** Scope → the names of the controls that need it. */
const NEEDED: Readonly<Record<string, RegExp>> = {
  'catalog:write':
    /^(Import a file|Choose a file|Import$|Discard|Undo|Try all again|Cancel$|Send \d|Correct|Replace|Leave out|Edit|New attribute|New item|Assign$|Unassign: |Make mandatory|Not mandatory|Rename|Copy$|Delete$|Add a column|Add “|Save$|Create$|Set back|Move |Share|Stop sharing|Remove$|Choose (another|cat)|New tree|Put into)/,
  'catalog:approve': /^Approve and import/,
  'webhooks:write':
    /^(Add a webhook|Send a test|New secret|Change$|Switch o|Send again|Send several|Create the webhook|Count them|Make a link|Revoke|Save the filter)/,
  'feeds:write':
    /^(Add a feed|Send files|Run now|Pause|Go on|Delete: |Test the connection|Save without a test|Save the feed|Make an address|New address|Do not publish|Take again)/,
  'access:admin': /^(Invite|Change: |Remove: |New link: )/,
};

/** What everybody may do in dialogs: leave them, and save a view of their own. */
function isFree(where: string, control: string): boolean {
  if (!where.startsWith('the dialog of ')) return false;
  return control === 'Cancel' || (control === 'Save' && where.includes('save-view-dialog'));
}

/** What the console asks for with each of these controls, and with others of the same scope. */
const WRITES: Readonly<Record<string, readonly (readonly [method: string, path: string, body?: object])[]>> = {
  'catalog:write': [
    ['POST', '/files/product', { fileName: 'a.csv', fileType: 'ITEM_IMPORT' }],
    ['POST', '/api-product/v1/product/bulk/update', [{ sku: 'A-1', attributes: { Price: '5' } }]],
    ['POST', '/api-product/v1/product/attribute/bulk', [{ name: 'Other', type: 'TEXT' }]],
    ['POST', '/api-category/v1/category', { name: 'Other' }],
    ['DELETE', '/api-category/v1/category?nodeId=1'],
    ['POST', '/api-category/v1/category/bulk/upsert', [{ path: 'Tape', itemAttributes: [] }]],
    ['POST', '/api-product/v1/product/bulk/insert', [{ sku: 'A-10', nodeName: 'Tape' }]],
    ['POST', '/api-product/v1/product/bulk/delete', { skus: ['A-1'] }],
    ['POST', '/import-profiles', { name: 'Other', profile: { fileType: 'ITEM_IMPORT', columns: [] } }],
    ['POST', '/jobs/$jobId/actions/retry', { rows: 'all' }],
    ['POST', '/jobs/$jobId/actions/revert', {}],
    ['POST', '/jobs/$jobId/actions/cancel'],
  ],
  'catalog:approve': [['POST', '/jobs/$waiting/actions/approve', {}]],
  'webhooks:write': [
    ['DELETE', '/api/v2/webhook/$webhookId'],
    ['POST', '/api/v2/webhook/$webhookId/actions/test'],
    ['POST', '/api/v2/webhook/$webhookId/receiver-links', { name: 'Partner' }],
  ],
  'feeds:write': [
    ['POST', '/feeds/$feedId/actions/run'],
    ['PATCH', '/feeds/$feedId', { state: 'PAUSED' }],
    ['DELETE', '/feeds/$feedId'],
    ['POST', '/feeds/actions/test', { schedule: { cron: '0 * * * *', timeZone: 'UTC' } }],
    ['POST', '/published-files', { name: 'Other' }],
  ],
  'access:admin': [
    ['GET', '/api/v2/access/people'],
    ['POST', '/api/v2/access/people', { name: 'Robin', role: 'owner' }],
  ],
};

describe('the roles in the console', function () {
  this.timeout(360_000);
  let account: ConsoleAccount;
  const seen = new Set<string>();
  const opened = new Set<string>();

  before(async function () {
    skipWithoutChromium(this);
    account = await openConsoleAccount();
  });
  after(() => account?.stop());

  it('names the role in the language that is shown', async () => {
    const { page, ...person } = await account.logIn('approver');
    await page.getByRole('button', { name: /^You and how it looks/ }).click();
    await page.getByText(/^Role: .?Approver/).waitFor();
    assert.deepEqual(person.wrong, []);
    await page.evaluate(
      `localStorage.setItem('longshore.language', 'de'); dispatchEvent(new StorageEvent('storage'));`,
    );
    await page.getByText(/^Rolle: .?Freigeber/).waitFor();
  });

  for (const role of ROLE_NAMES) {
    it(`shows the ${role} no control that this role may not use, and refuses it`, async () => {
      const person = await account.logIn(role);
      const scopes: readonly string[] = ROLES[role];
      const problems: string[] = [];
      const look = async (where: string, within: string) => {
        const controls = await person.page.evaluate<string[]>(controlsWithin(within));
        for (const control of controls.filter((one) => !isFree(where, one))) {
          for (const [scope, names] of Object.entries(NEEDED)) {
            if (!names.test(control)) continue;
            seen.add(scope);
            if (!scopes.includes(scope)) problems.push(`${where}: “${control}” needs ${scope}`);
          }
        }
      };
      const waiting = { path: 'an import that waits', address: `/console/production/imports/${account.waiting}` };
      // What says what to do first says nothing that the role may not do.
      const empty = ['items', 'imports', 'imports/profiles'].map((path) => ({
        ...{ path: `an empty stage, ${path}`, address: `/console/empty/${path}` },
      }));
      for (const { path, address } of [...consolePages(account.places), waiting, ...empty]) {
        await person.follow(address);
        await person.settled();
        await look(path, 'main');
      }
      let at = '';
      for (const { name, address, opener, open, stays } of consoleDialogs(account.places)) {
        if (stays) continue;
        if (at !== address) await person.follow(address);
        at = address;
        await person.settled();
        // Who does not see how it is opened does not see what is in it.
        if ((await opener(person).count()) === 0) continue;
        opened.add(name);
        await open(person);
        await person.page.getByRole('dialog').waitFor();
        await look(`the dialog of ${name}`, '[role=dialog]');
        await person.page.keyboard.press('Escape');
        await person.page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      assert.equal(problems.join('\n'), '');
      assert.deepEqual(person.wrong, []);
      for (const [scope, writes] of Object.entries(WRITES)) {
        if (scopes.includes(scope)) continue;
        for (const [method, path, body] of writes) {
          const filled = path.replace(
            /\$(\w+)/g,
            (_, name: string) => ({ ...account.places, waiting: account.waiting })[name] ?? '',
          );
          const given = JSON.stringify([method, filled, body, account.shop.account]);
          const status = await person.page.evaluate<number>(`(${ASK})(${given})`);
          assert.equal(status, 403, `${method} ${path} of a ${role}`);
        }
      }
    });
  }

  it('has looked into every dialog', () => {
    const dialogs = consoleDialogs(account.places).filter(({ stays }) => !stays);
    assert.deepEqual(
      dialogs.map(({ name }) => name).filter((name) => !opened.has(name)),
      [],
    );
  });

  it('has looked for controls that are there', () => {
    assert.deepEqual([...seen].sort(), Object.keys(NEEDED).sort());
  });
});

/** The names of what can be pressed in a page, but for links to others: those are looked at themselves. */
const controlsWithin = (
  place: string,
) => `[...document.querySelectorAll('${place} :is(button, a.button, [role=switch], input[type=checkbox], select)')]
  .filter((one) => one.checkVisibility())
  .map((one) => (one.getAttribute('aria-label') ?? one.innerText ?? '').trim())`;

/** A request as the pages make it, in the session of whoever is logged in. */
const ASK = `async ([method, path, body, account]) => {
  const headers = { 'x-site-context': JSON.stringify({ account, stage: 'production' }), 'content-type': 'application/json' };
  const answer = await fetch(path, { method, headers, ...(body == null ? {} : { body: JSON.stringify(body) }) });
  return answer.status;
}`;
