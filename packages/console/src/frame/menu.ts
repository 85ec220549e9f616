/** The entries of the menu, in their order. An entry is here when its page is there. */
import type { IconName } from '../components/icon.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('menu', {
  imports: { en: 'Imports', de: 'Importe' },
  overview: { en: 'Overview', de: 'Übersicht' },
  webhooks: { en: 'Webhooks', de: 'Webhooks' },
  people: { en: 'People', de: 'Personen' },
  sessions: { en: 'Sessions', de: 'Sitzungen' },
});

interface Entry {
  readonly to: '/$stage/imports' | '/$stage/overview' | '/$stage/webhooks' | '/$stage/people' | '/$stage/sessions';
  readonly icon: IconName;
  readonly useTitle: () => string;
  /** The entry is left out without it; undefined: everybody has it. */
  readonly scope?: string;
}

export const MENU: readonly Entry[] = [
  { to: '/$stage/imports', icon: 'imports', useTitle: () => useText()('imports') },
  { to: '/$stage/overview', icon: 'overview', useTitle: () => useText()('overview') },
  { to: '/$stage/webhooks', icon: 'webhooks', useTitle: () => useText()('webhooks'), scope: 'webhooks:read' },
  { to: '/$stage/people', icon: 'people', useTitle: () => useText()('people'), scope: 'access:admin' },
  { to: '/$stage/sessions', icon: 'key', useTitle: () => useText()('sessions') },
];
