/** What a source is told to take, and how its files are imported. */
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import type { Fact } from './facts.js';
import { sourceMembers } from './feed-values.js';
import { useFeedText } from './texts.js';
import type { Feed } from './use-feeds.js';

const useText = textsOf('source-facts', {
  files: { en: 'Files', de: 'Dateien' },
  newest: { en: '{pattern}, only the newest', de: '{pattern}, nur die neueste' },
  complete: { en: 'Complete', de: 'Vollständig' },
  marker: { en: 'when there is a marker {marker}', de: 'wenn es eine Markierung {marker} gibt' },
  settles: {
    en: 'when it stays the same for {seconds} s',
    de: 'wenn sie {seconds} s gleich bleibt',
  },
  afterwards: { en: 'Afterwards', de: 'Danach' },
  leave: { en: 'it stays there', de: 'bleibt sie dort' },
  delete: { en: 'it is deleted', de: 'wird sie gelöscht' },
  move: { en: 'it is moved to {folder}', de: 'wird sie nach {folder} verschoben' },
  imported: { en: 'Imported as', de: 'Importiert als' },
  profile: { en: 'Profile', de: 'Profil' },
  DEFAULT: { en: 'the default of this stage', de: 'das voreingestellte dieser Stage' },
  NONE: { en: 'none', de: 'keines' },
  options: { en: 'How', de: 'Wie' },
  upsert: { en: 'new items and those that are there', de: 'neue und vorhandene' },
  insert: { en: 'new ones only', de: 'nur neue' },
  update: { en: 'only those that are there', de: 'nur vorhandene' },
  atomic: { en: 'all rows or none', de: 'alle Zeilen oder keine' },
  approval: { en: 'after an approval', de: 'nach einer Freigabe' },
  snapshot: { en: 'what a file lacks is removed', de: 'was einer Datei fehlt, wird entfernt' },
});

export function useSourceFacts(feed: Feed): readonly Fact[] {
  const t = useText();
  const f = useFeedText();
  const format = useFormat();
  if (feed.direction === 'DESTINATION') return [];
  const { fileType, options, pick, afterwards } = sourceMembers(feed);
  const { profile, mode } = options;
  const files = pick.take === 'newest' ? t('newest', { pattern: pick.pattern }) : pick.pattern;
  const isSettled = pick.doneMarker === null;
  const settled = t('settles', { seconds: format.number(pick.settleSeconds) });
  const how = [
    t(mode === 'insert' || mode === 'update' ? mode : 'upsert'),
    ...(options.onError === 'abort' ? [t('atomic')] : []),
    ...(options.requireApproval === true ? [t('approval')] : []),
    ...(options.snapshot === undefined ? [] : [t('snapshot')]),
  ];
  return [
    ...(feed.connection.kind === 'https' ? [] : ([[t('files'), <bdi key="files">{files}</bdi>]] as const)),
    [t('complete'), isSettled ? settled : t('marker', { marker: pick.doneMarker ?? '' })],
    [t('afterwards'), typeof afterwards === 'string' ? t(afterwards) : t('move', { folder: afterwards.moveTo })],
    [t('imported'), f(fileType)],
    [
      t('profile'),
      profile === undefined ? t('DEFAULT') : profile === null ? t('NONE') : <bdi key="profile">{String(profile)}</bdi>,
    ],
    [t('options'), format.list(how)],
  ];
}
