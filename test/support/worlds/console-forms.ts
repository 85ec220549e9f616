/** The files of the console that show fields, and where each is typed in: a form that is added is typed in by the tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HARD } from './console-account.js';
import { consoleDialogs } from './console-dialogs.js';
import { consolePages } from './console-pages.js';
import type { ConsolePerson } from './console-person.js';

const CONSOLE = 'packages/console/src';
const FIELDS = /\b(TextInput|TextAreaInput|TextField|SuggestInput)\b|<(input|textarea)\b/;

/** File with fields → the page or dialog in which it is typed in, or why nothing is lost there. */
const FORMS: Readonly<Record<string, string | { readonly because: string }>> = {
  'components/search-field.tsx': { because: 'the search is in the address' },
  'components/suggest-input.tsx': { because: 'every form has them' },
  'components/text-input.tsx': { because: 'every form has them' },
  'components/text-area.tsx': { because: 'every form has them' },
  'pages/login.tsx': { because: 'tokens are not kept in the browser' },
  'pages/catalog/attributes-page.tsx': { because: 'it searches' },
  'pages/catalog/items-bar.tsx': { because: 'the search is in the address' },
  'pages/catalog/item-filters.tsx': { because: 'the filter is in the address, or part of a form that keeps it' },
  'pages/catalog/many-options.tsx': { because: 'it searches' },
  'pages/catalog/attribute-dialog.tsx': 'pages/catalog/attribute-dialog.tsx, 1',
  'pages/catalog/attribute-locales.tsx': 'the names of an attribute in other languages',
  'pages/catalog/attribute-rules.tsx': 'pages/catalog/attribute-dialog.tsx, 1',
  'pages/catalog/category-details.tsx': 'a chosen category',
  'pages/catalog/new-item-dialog.tsx': 'pages/catalog/new-item-dialog.tsx, 1',
  'pages/catalog/columns-dialog.tsx': 'pages/catalog/columns-dialog.tsx, 1',
  'pages/catalog/condition-dialog.tsx': 'a condition on an attribute',
  'pages/catalog/value-field.tsx': 'an item that is edited',
  'pages/catalog/channels-field.tsx': 'an item that is edited',
  'pages/catalog/bundle-field.tsx': { because: 'what is in a bundle is kept with the values of the item' },
  'pages/catalog/category-name.tsx': 'categories',
  'pages/catalog/category-state.tsx': 'a chosen category',
  'pages/access/invite-dialog.tsx': 'pages/access/invite-dialog.tsx, 1',
  'pages/access/person-dialogs.tsx': 'pages/access/person-dialogs.tsx, 1',
  'pages/exports/export-columns.tsx': { because: 'it searches' },
  'pages/exports/new-page.tsx': 'the day of an export',
  'pages/exports/published-dialogs.tsx': 'pages/exports/published-dialogs.tsx, 1',
  'pages/feeds/connection-fields.tsx': 'feeds/new',
  'pages/feeds/connection-section.tsx': 'feeds/new',
  'pages/feeds/host-key.tsx': 'a feed of an SFTP server',
  'pages/feeds/schedule-fields.tsx': 'feeds/new',
  'pages/feeds/secret-fields.tsx': 'a feed of an SFTP server',
  'pages/feeds/sent-fields.tsx': 'feeds/new-destination',
  'pages/feeds/snapshot-fields.tsx': 'feeds/new',
  'pages/feeds/taking-fields.tsx': 'feeds/new',
  'pages/imports/error-groups.tsx': 'imports/$jobId',
  'pages/imports/failed-grid.tsx': 'imports/$jobId',
  'pages/imports/grid-row.tsx': 'imports/$jobId',
  'pages/imports/import-options.tsx': 'imports/new/$fileId',
  'pages/imports/reading-form.tsx': 'how a file is written',
  'pages/imports/job-actions.tsx': 'an import that waits',
  'pages/profiles/continued-rows.tsx': 'rows of a file that are joined',
  'pages/profiles/format-fields.tsx': 'imports/profiles/profile',
  'pages/profiles/lines-input.tsx': 'imports/profiles/profile',
  'pages/profiles/profile-dialogs.tsx': 'pages/profiles/profile-dialogs.tsx, 1',
  'pages/profiles/row-condition.tsx': 'rows of a file that are joined',
  'pages/profiles/rule-dialog.tsx': 'pages/profiles/rule-dialog.tsx, 1',
  'pages/profiles/skip-rows.tsx': 'imports/profiles/profile',
  'pages/profiles/split-fields.tsx': 'pages/profiles/rule-dialog.tsx, 1',
  'pages/profiles/step-fields.tsx': 'pages/profiles/rule-dialog.tsx, 1',
  'pages/views/save-view-dialog.tsx': 'pages/views/save-view-dialog.tsx, 1',
  'pages/webhooks/definition-form.tsx': 'webhooks/new',
  'pages/webhooks/filter-editor.tsx': 'webhooks/$webhookId/filter',
  'pages/webhooks/receiver-links.tsx': 'pages/webhooks/receiver-links.tsx, 1',
  'pages/webhooks/replay-page.tsx': 'webhooks/$webhookId/replay',
  'pages/webhooks/signature-trial.tsx': 'webhooks/$webhookId/signature',
};

interface OpenedForm {
  readonly name: string;
  readonly address: string;
  /** Where its fields are. */
  readonly within: string;
  open(person: ConsolePerson): Promise<void>;
  /** Opens it after the page was loaded anew; undefined: as at first. */
  reopen?(person: ConsolePerson): Promise<void>;
}

const nothing = async () => undefined;

/** Forms that are seen when something is chosen on their page. */
const CHOSEN: readonly (Omit<OpenedForm, 'within'> & Partial<OpenedForm>)[] = [
  {
    name: 'an item that is edited',
    address: 'items/item?sku=A-2',
    open: ({ page }) => editPlaces(page),
    reopen: nothing,
  },
  {
    name: 'a chosen category',
    address: 'categories',
    open: ({ page }) => page.getByRole('row', { name: 'Tape', exact: true }).click(),
  },
  {
    name: 'a feed of an SFTP server',
    address: 'feeds/new',
    open: async ({ page }) => {
      await page.getByText('SFTP server', { exact: true }).click();
      await page.getByText('With a private key', { exact: true }).click();
    },
    reopen: nothing,
  },
  {
    name: 'the day of an export',
    address: 'exports/new',
    open: ({ page }) => page.getByText('Only what changed since a day', { exact: true }).click(),
    reopen: nothing,
  },
  {
    name: 'rows of a file that are joined',
    address: `imports/profiles/profile?name=${encodeURIComponent(`ERP ${HARD}`)}`,
    open: (person) => person.button('Join rows').click(),
    reopen: nothing,
  },
  {
    name: 'a condition on an attribute',
    address: 'items',
    within: '[role=dialog]',
    open: async (person) => {
      await person.button('Add a condition').click();
      await person.page.getByRole('combobox', { name: 'Attribute' }).fill('Title');
      await person.page.getByRole('option', { name: 'Title', exact: true }).click();
    },
    reopen: (person) => person.button('Add a condition').click(),
  },
  {
    name: 'the names of an attribute in other languages',
    address: 'attributes',
    within: '[role=dialog]',
    open: async (person) => {
      await person.button('New attribute').click();
      await person.button('Add a name in another language').click();
    },
    reopen: (person) => person.button('New attribute').click(),
  },
];

async function edit(page: ConsolePerson['page']): Promise<void> {
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
}

async function editPlaces(page: ConsolePerson['page']): Promise<void> {
  await edit(page);
  await page.getByText('In all channels', { exact: true }).click();
}

/** Every page and dialog, and what else shows fields. @throws when a file has fields and is not listed here */
export function consoleForms(places: Readonly<Record<string, string>>, waiting: string): readonly OpenedForm[] {
  const root = `/console/${places.stage}`;
  const forms: readonly OpenedForm[] = [
    ...consolePages(places).map(({ path, address }) => ({ name: path, address, within: 'main', open: nothing })),
    { name: 'an import that waits', address: `${root}/imports/${waiting}`, within: 'main', open: nothing },
    {
      name: 'how a file is written',
      address: `${root}/imports/new/${places.fileId}`,
      within: 'main',
      open: (person) => person.button('Read the file otherwise').click(),
    },
    ...CHOSEN.map((form) => ({ within: 'main', ...form, address: `${root}/${form.address}` })),
    ...consoleDialogs(places)
      .filter(({ stays }) => !stays)
      .map(({ name, address, open }) => ({ name, address, within: '[role=dialog]', open })),
  ];
  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  const unknown = files.filter((file) => {
    const shown = FORMS[file];
    if (!FIELDS.test(readFileSync(join(CONSOLE, file), 'utf8'))) return false;
    return shown === undefined || (typeof shown === 'string' && !forms.some(({ name }) => name === shown));
  });
  if (unknown.length > 0) throw new Error(`say in console-forms.ts where the fields of ${unknown.join(', ')} are`);
  return forms;
}

/** The forms in which something has to be typed. */
export function typedForms(): ReadonlySet<string> {
  return new Set(Object.values(FORMS).filter((place) => typeof place === 'string'));
}
