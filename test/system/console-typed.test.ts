/** Nothing typed in the console is lost: in every form one types, the session ends, the page is loaded again, and it is all there but for secrets. */
import assert from 'node:assert/strict';
import { until } from '../support/until.js';
import { type ConsoleAccount, openConsoleAccount } from '../support/worlds/console-account.js';
import { consoleForms, typedForms } from '../support/worlds/console-forms.js';
import type { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';

/** In so many forms the session ends as well: what is kept is where a page that is loaded again finds it. */
const EXPIRED = 3;
/** What is typed into each field for secrets. */
const SECRET = 'geheim-4711';

describe('what is typed in the console', function () {
  this.timeout(600_000);
  let account: ConsoleAccount;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    account = await openConsoleAccount();
    person = await account.logIn('owner');
    person.page.setDefaultTimeout(45_000);
  });
  after(() => account?.stop());

  for (const [what, isIn] of [
    ['page', (within: string) => within === 'main'],
    ['dialog', (within: string) => within !== 'main'],
  ] as const) {
    it(`is in each ${what} again after the session has ended and the page was loaded anew, and no secret is`, () =>
      walk(isIn));
  }

  async function walk(isWalked: (within: string) => boolean): Promise<void> {
    const forms = consoleForms(account.places, account.waiting).filter(({ within }) => isWalked(within));
    const problems: string[] = [];
    const typedIn = new Set<string>();
    for (const { name, address, within, open, reopen = open } of forms) {
      const visit = async () => {
        await person.page.evaluate('sessionStorage.clear()');
        await person.page.goto(address);
        await person.settled();
        await open(person);
        await person.page.locator(within).waitFor();
        // Parts that are loaded after it would come between the fields.
        await person.settled();
        // What was chosen when it was opened stays.
        if (reopen === open) await person.page.evaluate(CHOOSE(within));
        const typed = await typeIn(within);
        const cookies = await person.page.context().cookies();
        if (Object.keys(typed).length === 0) return;
        typedIn.add(name);
        if (typedIn.size <= EXPIRED) {
          await person.page.context().clearCookies();
          await person.page.reload();
          await person.page.getByLabel('Token or code').waitFor();
          await person.page.context().addCookies(cookies);
        }
        await person.page.reload();
        await person.settled();
        assert.equal(
          await person.page.evaluate(`JSON.stringify({ ...sessionStorage, ...localStorage }).includes('${SECRET}')`),
          false,
        );
        await reopen(person);
        await person.page.locator(within).waitFor();
        const isThere = async () => sameOf(typed, await fieldsIn(within)) === '';
        await until('it is there', isThere, 20_000).catch(() => undefined);
        assert.equal(sameOf(typed, await fieldsIn(within)), '');
        if (!Object.values(typed).includes('')) return;
        await person.page
          .getByText('Passwords and keys are not kept in the browser')
          .first()
          .waitFor({ timeout: 20_000 });
      };
      await visit().catch((error: unknown) => problems.push(`${name}: ${String(error).slice(0, 600)}`));
    }
    assert.deepEqual(person.wrong, []);
    assert.equal(problems.join('\n\n'), '');
    const untouched = forms.filter(({ name }) => typedForms().has(name) && !typedIn.has(name));
    assert.deepEqual(
      untouched.map(({ name }) => name),
      [],
      'nothing could be typed there',
    );
  }

  /** Types into every field. @returns what has to be found again: of secrets nothing */
  async function typeIn(within: string): Promise<Record<string, string | boolean>> {
    for (const [key, { index, type, isSecret }] of Object.entries(await fieldsIn(within))) {
      if (type === 'checkbox') continue;
      const field = person.page.locator(within).locator('input, textarea').nth(index);
      await field.fill(isSecret ? SECRET : textFor(type, key));
    }
    const typed = Object.entries(await fieldsIn(within)).map(
      ([key, { value, isSecret }]) => [key, isSecret ? '' : value] as const,
    );
    return Object.fromEntries(typed);
  }

  const fieldsIn = (within: string) => person.page.evaluate<Record<string, Field>>(FIELDS(within));
});

interface Field {
  /** Among the fields of the form. */
  readonly index: number;
  readonly type: string;
  readonly isSecret: boolean;
  readonly value: string | boolean;
}

function textFor(type: string, key: string): string {
  const texts: Readonly<Record<string, string>> = {
    date: '2026-03-04',
    'datetime-local': '2026-03-04T05:06',
    time: '05:06',
    number: '7',
    url: 'https://typed.example/7',
    numeric: '7',
  };
  return texts[type] ?? `typed ${key.length}`;
}

/** @returns what is not as it was typed; empty: all is */
function sameOf(typed: Readonly<Record<string, string | boolean>>, found: Readonly<Record<string, Field>>): string {
  return Object.entries(typed)
    .filter(([key, value]) => found[key]?.value !== value)
    .map(([key, value]) => `${key}: ${value} was typed, ${found[key]?.value} is there`)
    .join('; ');
}

/** Chooses the last one of each few, and changes the first switches of a form. */
const CHOOSE = (within: string) => `(() => {
  const form = document.querySelector('${within}');
  for (const group of form.querySelectorAll('[role=radiogroup]:has(input[type=radio])')) {
    [...group.querySelectorAll('input[type=radio]')].at(-1).click();
  }
  const isDialog = '${within}' !== 'main';
  for (const one of [...form.querySelectorAll((isDialog ? '' : 'form ') + 'input[type=checkbox]')].slice(0, 3)) one.click();
})()`;

/** The fields that one types in, by their labels. What searches is no form: its text is no work. */
const FIELDS = (within: string) => `(() => {
  const fields = {};
  const all = [...document.querySelector('${within}')?.querySelectorAll('input, textarea') ?? []];
  for (const [index, one] of all.entries()) {
    const isTyped = !/^(search|radio|file|hidden)$/.test(one.type) && one.role !== 'combobox';
    const isShown = one.type === 'checkbox' ? one.closest('form, [role=dialog]') !== null : one.checkVisibility();
    if (!isTyped || !isShown || one.disabled || one.readOnly) continue;
    const isSecret = one.type === 'password' || one.closest('[data-secret]') !== null;
    const label = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.closest('label')?.textContent ?? '';
    let key = label.trim() || '?';
    while (key in fields) key += '+';
    const type = one.inputMode === 'numeric' ? 'numeric' : one.type;
    fields[key] = { index, type, isSecret, value: one.type === 'checkbox' ? one.checked : one.value };
  }
  return fields;
})()`;
