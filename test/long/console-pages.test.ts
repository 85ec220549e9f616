/** Every page and every dialog of the console in a real Chromium: no barrier in both languages and both schemes, wide and narrow. */
import { type ConsoleAccount, openConsoleAccount } from '../support/worlds/console-account.js';
import type { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';
import { allPages, type Looks, PAIRS, walkDialogs, walkPages } from '../system/console-pages.trials.js';

const inAll = (): Looks => ({ wide: PAIRS, narrow: PAIRS });

describe('every page of the console, in each language and scheme', function () {
  this.timeout(900_000);
  let account: ConsoleAccount;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    account = await openConsoleAccount();
    person = await account.logIn('owner');
  });
  after(() => account?.stop());

  it('has no barrier', () => walkPages(person, allPages(account), inAll));

  it('has no barrier in any dialog', () => walkDialogs(person, account.places, inAll));
});
