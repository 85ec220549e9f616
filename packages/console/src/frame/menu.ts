/** The entries of the menu, in their order. An entry is here when its page is there. */
import type { IconName } from '../components/icon.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('menu', {
  imports: { en: 'Imports', de: 'Importe' },
  items: { en: 'Items', de: 'Artikel' },
  attributes: { en: 'Attributes', de: 'Attribute' },
  categories: { en: 'Categories', de: 'Kategorien' },
  exports: { en: 'Exports', de: 'Exporte' },
});

interface Entry {
  readonly to: '/$stage/imports' | '/$stage/items' | '/$stage/attributes' | '/$stage/categories' | '/$stage/exports';
  readonly icon: IconName;
  readonly useTitle: () => string;
}

export const MENU: readonly Entry[] = [
  { to: '/$stage/imports', icon: 'imports', useTitle: () => useText()('imports') },
  { to: '/$stage/items', icon: 'items', useTitle: () => useText()('items') },
  { to: '/$stage/attributes', icon: 'tag', useTitle: () => useText()('attributes') },
  { to: '/$stage/categories', icon: 'tree', useTitle: () => useText()('categories') },
  { to: '/$stage/exports', icon: 'download', useTitle: () => useText()('exports') },
];
