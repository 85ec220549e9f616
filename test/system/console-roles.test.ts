/** What each role sees in the console: every page as its router lists it, and no control that the role may not use. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import { ROLE_NAMES, ROLES } from '../../src/domain/access/roles.js';
import { type ConsoleAccount, openConsoleAccount } from '../support/worlds/console-account.js';
import { consolePages } from '../support/worlds/console-pages.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';

/** What needs a scope, by its name. */
const NEEDED: Readonly<Record<string, RegExp>> = {
  'catalog:write':
    /^(Import a file|Choose a file|Import|Discard|Undo|Try all again|Cancel|Send \d|Correct|Replace instead|Leave out|Edit$|New attribute|Rename|Create$|Set back|Move )/,
  'catalog:approve': /^Approve and import/,
  'webhooks:write':
    /^(Add a webhook|Send a test|New secret|Change$|Switch o|Delete|Send again|Send several|Save|Create the webhook|Count them|a value)/,
  'access:admin': /^(Invite|Change: |Remove: )/,
};
/** Everybody who may log in may press these. */
const READING =
  /^(|Try again|Close|Newer|Older|Earlier|Later|Error file|Download|Count|Show|Columns|Go|To the|Add a condition|Only these|All rows|Export|New export|Changes since|Write the file|Open or close|Copy|Where|Log|End|How|Python|Node|Stop|Filter|Search)/;

describe('the roles in the console', function () {
  this.timeout(240_000);
  let account: ConsoleAccount;

  before(async function () {
    skipWithoutChromium(this);
    account = await openConsoleAccount();
  });
  after(() => account?.stop());

  it('leads to the pages for operators and back where a person has both', async () => {
    const { token: secret } = await createToken(account.world.db, { accountId: null, name: 'operator' });
    const { page } = await account.logIn('viewer');
    const panel = page.getByRole('button', { name: /^You and how it looks/ });
    await panel.click();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Pages for operators' }).count(), 0);
    const { browser } = account;
    const operator = await browser.open({ password: secret });
    await operator.goto('/admin');
    await operator.getByRole('link', { name: 'Console' }).click();
    const { token } = await createToken(account.world.db, { accountId: account.shop.account, name: 'Kim' });
    await operator.getByLabel('Token or code').fill(token);
    await operator.getByRole('button', { name: 'Log in' }).click();
    await operator.getByRole('button', { name: /^You and how it looks/ }).click();
    await operator.getByRole('link', { name: 'Pages for operators' }).click();
    await operator.getByRole('heading', { name: 'Now' }).first().waitFor();
  });

  for (const role of ROLE_NAMES) {
    it(`shows the ${role} no control that this role may not use`, async () => {
      const person = await account.logIn(role);
      const scopes: readonly string[] = ROLES[role];
      const problems: string[] = [];
      const seen = new Set<string>();
      const pages = [
        ...consolePages(account.places),
        { path: 'an import that waits', address: `/console/production/imports/${account.waiting}` },
      ];
      for (const { path, address } of pages) {
        await person.page.goto(address);
        await person.settled();
        for (const name of await person.page.evaluate<string[]>(CONTROLS)) {
          const needed = Object.keys(NEEDED).filter((scope) => NEEDED[scope]?.test(name));
          for (const scope of needed) seen.add(scope);
          const may =
            needed.length === 0 ? role === 'owner' || READING.test(name) : needed.some((one) => scopes.includes(one));
          if (!may)
            problems.push(`${path}: ${name}${needed.length === 0 ? ' (who may press it?)' : ` needs ${needed}`}`);
        }
      }
      assert.equal(problems.join('\n'), '');
      assert.deepEqual(person.wrong, []);
      if (role === 'owner')
        assert.deepEqual([...seen].sort(), Object.keys(NEEDED).sort(), 'what is looked for is there');
    });
  }
});

/** The names of what can be pressed in a page, but for links of texts: those lead to pages, which are looked at themselves. */
const CONTROLS = `[...document.querySelectorAll('main button, main a.button, main [role=switch], main input[type=checkbox], main select')]
  .filter((one) => one.offsetParent !== null)
  .map((one) => (one.getAttribute('aria-label') ?? one.innerText ?? '').trim())`;
