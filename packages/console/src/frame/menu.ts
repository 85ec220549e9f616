/** The entries of the menu, in their order. An entry is here when its page is there. */
import type { IconName } from '../components/icon.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('menu', {
  imports: { en: 'Imports', de: 'Importe' },
  items: { en: 'Items', de: 'Artikel' },
  attributes: { en: 'Attributes', de: 'Attribute' },
  categories: { en: 'Categories', de: 'Kategorien' },
  exports: { en: 'Exports', de: 'Exporte' },
  feeds: { en: 'Feeds', de: 'Feeds' },
  overview: { en: 'Overview', de: 'Übersicht' },
  webhooks: { en: 'Webhooks', de: 'Webhooks' },
  people: { en: 'People', de: 'Personen' },
  sessions: { en: 'Sessions', de: 'Sitzungen' },
});

type Page =
  | ('imports' | 'overview' | 'items' | 'attributes' | 'categories')
  | ('exports' | 'feeds' | 'webhooks' | 'people' | 'sessions');

interface Entry {
  readonly to: `/$stage/${Page}`;
  readonly icon: IconName;
  readonly useTitle: () => string;
  /** The entry is left out without it; undefined: everybody has it. */
  readonly scope?: string;
}

export const MENU: readonly Entry[] = [
  { to: '/$stage/imports', icon: 'imports', useTitle: () => useText()('imports') },
  { to: '/$stage/overview', icon: 'overview', useTitle: () => useText()('overview') },
  { to: '/$stage/items', icon: 'items', useTitle: () => useText()('items') },
  { to: '/$stage/attributes', icon: 'tag', useTitle: () => useText()('attributes') },
  { to: '/$stage/categories', icon: 'tree', useTitle: () => useText()('categories') },
  { to: '/$stage/exports', icon: 'download', useTitle: () => useText()('exports') },
  { to: '/$stage/feeds', icon: 'feeds', useTitle: () => useText()('feeds'), scope: 'feeds:read' },
  { to: '/$stage/webhooks', icon: 'webhooks', useTitle: () => useText()('webhooks'), scope: 'webhooks:read' },
  { to: '/$stage/people', icon: 'people', useTitle: () => useText()('people'), scope: 'access:admin' },
  { to: '/$stage/sessions', icon: 'key', useTitle: () => useText()('sessions') },
];
