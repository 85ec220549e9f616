/** What a destination is told to send. */
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useExportText } from '../exports/export-job.js';
import { destinationValuesOf } from './destination-values.js';
import type { Fact } from './facts.js';
import type { Feed } from './use-feeds.js';

const useText = textsOf('destination-facts', {
  what: { en: 'Sends', de: 'Sendet' },
  some: { en: '{what}, a selection', de: '{what}, eine Auswahl' },
  format: { en: 'Format', de: 'Format' },
  profile: { en: '{format}, in the form of the profile {name}', de: '{format}, in der Form des Profils {name}' },
  content: { en: 'Each file has', de: 'Jede Datei enthält' },
  WHOLE: { en: 'everything', de: 'alles' },
  DELTA: { en: 'what changed since the last file', de: 'was sich seit der letzten Datei geändert hat' },
  name: { en: 'Name', de: 'Name' },
  keep: { en: 'Files that stay', de: 'Dateien, die bleiben' },
  all: { en: 'all', de: 'alle' },
  whenEmpty: { en: 'Nothing to send', de: 'Nichts zu senden' },
  SKIP: { en: 'no file is sent', de: 'es wird keine Datei gesendet' },
  WRITE: { en: 'an empty file is sent', de: 'eine leere Datei wird gesendet' },
  after: { en: 'Runs after imports of', de: 'Läuft nach Importen von' },
});

export function useDestinationFacts(feed: Feed): readonly Fact[] {
  const t = useText();
  const e = useExportText();
  const format = useFormat();
  if (feed.direction === 'SOURCE') return [];
  const { form } = destinationValuesOf(feed, '');
  const { match } = Object(feed.export) as { readonly match?: unknown };
  const what = e(form.what);
  return [
    [t('what'), Object.keys(Object(match)).length === 0 ? what : t('some', { what })],
    [t('format'), form.profile === undefined ? form.format : t('profile', { format: form.format, name: form.profile })],
    [t('content'), t(feed.content ?? 'WHOLE')],
    [t('name'), <bdi key="name">{feed.fileName}</bdi>],
    [t('keep'), feed.keep === null ? t('all') : format.number(feed.keep)],
    [t('whenEmpty'), t(feed.whenEmpty ?? 'WRITE')],
    ...(feed.after === null ? [] : ([[t('after'), <bdi key="after">{feed.after.feed}</bdi>]] as const)),
  ];
}
