/** The dialogs of the console, by the files that show them, and how each is opened: a dialog that is added is looked at by the tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { HARD } from './console-account.js';
import type { ConsolePerson } from './console-person.js';

const CONSOLE = 'packages/console/src';

interface OpenedDialog {
  /** As the address of a page ends; `$jobId` and the like stand for what the account has. */
  readonly page: string;
  /** It cannot be left. */
  readonly stays?: true;
  /** What one has to see to open it: who may not use the dialog does not. */
  opener(person: ConsolePerson): Locator;
  open(person: ConsolePerson): Promise<void>;
}

/** Presses buttons, one after the other. */
const press = (first: string | RegExp, ...others: readonly (string | RegExp)[]) => ({
  opener: (person: ConsolePerson) => person.button(first),
  open: async (person: ConsolePerson) => {
    for (const name of [first, ...others]) await person.button(name).first().click();
  },
});
/** Types into a field, and presses the button of its form. */
const typeAndPress = (label: string, text: string, button: string) => ({
  opener: (person: ConsolePerson) => person.button(button),
  open: async (person: ConsolePerson) => {
    await person.page.getByLabel(label, { exact: true }).fill(text);
    await person.button(button).click();
    await person.page.getByRole('dialog').getByRole('progressbar').waitFor({ state: 'detached' });
  },
});
/** Of a category that is chosen before. */
const ofTape = ({ open }: Pick<OpenedDialog, 'open'>) => ({
  // Who may not move categories may not change them either.
  opener: ({ page }: ConsolePerson) => page.getByRole('button', { name: /^Move / }),
  open: async (person: ConsolePerson) => {
    await person.page.getByRole('row', { name: 'Tape', exact: true }).click();
    await open(person);
  },
});
const profile = `imports/profiles/profile?name=${encodeURIComponent(`ERP ${HARD}`)}`;

/** File → the dialogs that it shows. */
const DIALOGS: Readonly<Record<string, readonly OpenedDialog[]>> = {
  'frame/login-question.tsx': [
    {
      page: 'sessions',
      stays: true,
      opener: ({ page }) => page.getByRole('link', { name: 'Attributes', exact: true }),
      open: async (person) => {
        const cookies = await person.page.context().cookies();
        await person.page.context().clearCookies();
        await person.page.getByRole('link', { name: 'Attributes', exact: true }).click();
        await person.page.getByText('Your session has ended').waitFor();
        await person.page.context().addCookies(cookies);
      },
    },
  ],
  'frame/person-panel.tsx': [{ page: 'sessions', ...press(/^You and how it looks/) }],
  'pages/access/invite-dialog.tsx': [{ page: 'people', ...press('Invite somebody') }],
  'pages/access/person-dialogs.tsx': [
    { page: 'people', ...press(/^Change: .*Robin/) },
    { page: 'people', ...press(/^Remove: .*Robin/) },
    { page: 'people', ...press(/^New link: .*Robin/) },
  ],
  'pages/catalog/attribute-dialog.tsx': [
    { page: 'attributes', ...press('New attribute') },
    { page: 'attributes', ...press('Colour', 'Where is it used?') },
  ],
  'pages/catalog/category-change-dialog.tsx': [
    { page: 'categories', ...typeAndPress('Name of a new tree', `Tree ${HARD}`, 'New tree') },
    { page: 'categories', ...ofTape(typeAndPress('Name', `Tape ${HARD}`, 'Rename')) },
    { page: 'categories', ...ofTape(typeAndPress('New category below it', HARD, 'Create')) },
    { page: 'categories', ...ofTape(typeAndPress('Order number', '7', 'Set the order number')) },
  ],
  'pages/catalog/category-choice.tsx': [
    { page: 'items/item?sku=A-1', ...press('Edit', 'Choose another category') },
    { page: 'items/item?sku=A-2', ...press('Edit', 'Choose categories') },
  ],
  'pages/catalog/columns-dialog.tsx': [{ page: 'items', ...press('Columns') }],
  'pages/catalog/condition-dialog.tsx': [{ page: 'items', ...press('Add a condition') }],
  'pages/catalog/delete-category.tsx': [
    {
      page: 'categories',
      opener: ({ page }) => page.getByRole('button', { name: /^Move / }),
      open: async (person) => {
        await person.page.getByRole('row', { name: 'Tape', exact: true }).click();
        await person.button('Delete').click();
      },
    },
  ],
  'pages/catalog/delete-dialog.tsx': [
    { page: 'items/item?sku=A-1', ...press('Delete') },
    // Everybody may look at an attribute.
    { page: 'attributes', ...press('Colour', 'Delete'), opener: (person) => person.button('New attribute') },
  ],
  'pages/catalog/new-item-dialog.tsx': [{ page: 'items', ...press('New item') }],
  'pages/catalog/move-dialog.tsx': [
    {
      page: 'categories',
      opener: ({ page }) => page.getByRole('button', { name: /^Move / }),
      open: async ({ page }) => {
        await page.getByRole('row', { name: 'Tape', exact: true }).click();
        await page.getByLabel('Move to').fill('Fast');
        await page.getByRole('option', { name: 'Fast' }).first().click();
      },
    },
  ],
  'pages/catalog/save-dialog.tsx': [
    {
      page: 'items/item?sku=A-1',
      opener: (person) => person.button('Edit'),
      open: async (person) => {
        await person.button('Edit').click();
        await person.page.getByLabel('Price of A-1').fill('5');
        await person.button('See what would change').click();
        await person.button('Write these changes').waitFor();
      },
    },
  ],
  'pages/exports/published-dialogs.tsx': [
    { page: 'exports/published', ...press('Make an address') },
    { page: 'exports/published', ...press(/^New address: /) },
    { page: 'exports/published', ...press(/^Delete: /) },
  ],
  'pages/feeds/remove-dialog.tsx': [
    { page: 'feeds', ...press(/^Delete: .*ERP/) },
    { page: 'feeds/$feedId', ...press('Delete') },
  ],
  'pages/imports/undo-dialog.tsx': [{ page: 'imports/$jobId', ...press('Undo') }],
  'pages/profiles/profile-dialogs.tsx': [
    { page: profile, ...press('Rename') },
    { page: profile, ...press('Copy') },
    { page: profile, ...press('Delete') },
  ],
  'pages/profiles/rule-dialog.tsx': [{ page: profile, ...press(/^Edit .*SKU/) }],
  'pages/views/item-views.tsx': [{ page: 'items', ...press('All views') }],
  'pages/views/save-view-dialog.tsx': [
    { page: 'items', ...press('Save this view') },
    { page: 'exports/new', ...press('Save this export') },
  ],
  'pages/webhooks/definition-actions.tsx': [{ page: 'webhooks/$webhookId', ...press('Delete') }],
  'pages/webhooks/receiver-links.tsx': [{ page: 'webhooks/$webhookId', ...press('Make a link') }],
  'pages/webhooks/rotate-dialog.tsx': [{ page: 'webhooks/$webhookId', ...press('New secret') }],
};

/** @throws when a file shows a dialog that is not listed here */
export function consoleDialogs(places: Readonly<Record<string, string>>) {
  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  const showing = files.filter((file) => {
    const source = readFileSync(join(CONSOLE, file), 'utf8');
    return file !== 'components/dialog.tsx' && /components\/dialog\.js|\bDialogTrigger\b|\bModal\b/.test(source);
  });
  const unknown = showing.filter((file) => DIALOGS[file] === undefined);
  if (unknown.length > 0)
    throw new Error(`say in console-dialogs.ts how the dialog of ${unknown.join(', ')} is opened`);
  return Object.entries(DIALOGS).flatMap(([file, dialogs]) =>
    dialogs.map(({ page, opener, open, stays = false }, index) => {
      const path = page.replace(/\$(\w+)/g, (_, name: string) => places[name] ?? name);
      return { name: `${file}, ${index + 1}`, address: `/console/${places.stage}/${path}`, opener, open, stays };
    }),
  );
}
