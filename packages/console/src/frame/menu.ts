/** The entries of the menu, in their order. An entry is here when its page is there. */
import type { IconName } from '../components/icon.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('menu', {
  imports: { en: 'Imports', de: 'Importe' },
});

interface Entry {
  readonly to: '/$stage/imports';
  readonly icon: IconName;
  readonly useTitle: () => string;
}

export const MENU: readonly Entry[] = [
  { to: '/$stage/imports', icon: 'imports', useTitle: () => useText()('imports') },
];
