/** What a feed is told to do. */
import { Section } from '../../components/content.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { connectionValuesOf, placeOf } from './connection-values.js';
import { useScheduleText } from './schedule-text.js';
import { useFeedText } from './texts.js';
import type { Feed } from './use-feeds.js';
import { ZonedTime } from './zoned-time.js';

const useText = textsOf('feed-facts', {
  title: { en: 'What it is told to do', de: 'Was er tun soll' },
  from: { en: 'Looks at', de: 'Sieht nach in' },
  user: { en: 'As', de: 'Als' },
  hostKey: { en: "Server's key", de: 'Schlüssel des Servers' },
  noKey: { en: 'the one that it shows at the first run', de: 'der, den er beim ersten Lauf zeigt' },
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
  schedule: { en: 'Runs', de: 'Läuft' },
  next: { en: 'Next', de: 'Als Nächstes' },
  expect: { en: 'Expects a file', de: 'Erwartet eine Datei' },
  within: { en: 'every {time}', de: 'alle {time}' },
  savedBy: { en: 'Saved by', de: 'Gespeichert von' },
});

export function FeedFacts({ feed }: { readonly feed: Feed }) {
  const t = useText();
  const f = useFeedText();
  const format = useFormat();
  const scheduleText = useScheduleText();
  const { connection, pick, afterwards, fileType, options, schedule, expectWithinMinutes, nextTimes, savedBy } = feed;
  const { user, hostKey } = connectionValuesOf(connection);
  const facts: (readonly [string, React.ReactNode])[] = [
    [t('from'), <bdi key="from">{placeOf(connection)}</bdi>],
    ...(user === '' ? [] : ([[t('user'), <bdi key="user">{user}</bdi>]] as const)),
    ...(connection.kind === 'sftp'
      ? ([[t('hostKey'), hostKey === '' ? t('noKey') : <code key="key">{hostKey}</code>]] as const)
      : []),
    ...(connection.kind === 'https'
      ? []
      : ([
          [
            t('files'),
            <bdi key="files">{pick.take === 'newest' ? t('newest', { pattern: pick.pattern }) : pick.pattern}</bdi>,
          ],
        ] as const)),
    [
      t('complete'),
      pick.doneMarker === null
        ? t('settles', { seconds: format.number(pick.settleSeconds) })
        : t('marker', { marker: pick.doneMarker }),
    ],
    [t('afterwards'), typeof afterwards === 'string' ? t(afterwards) : t('move', { folder: afterwards.moveTo })],
    [t('imported'), f(fileType)],
    [
      t('profile'),
      options.profile === undefined ? (
        t('DEFAULT')
      ) : options.profile === null ? (
        t('NONE')
      ) : (
        <bdi key="profile">{String(options.profile)}</bdi>
      ),
    ],
    [
      t('options'),
      format.list([
        t(options.mode === 'insert' || options.mode === 'update' ? options.mode : 'upsert'),
        ...(options.onError === 'abort' ? [t('atomic')] : []),
        ...(options.requireApproval === true ? [t('approval')] : []),
        ...(options.snapshot === undefined ? [] : [t('snapshot')]),
      ]),
    ],
    [t('schedule'), schedule === null ? scheduleText(null) : `${scheduleText(schedule)} (${schedule.timeZone})`],
    ...(nextTimes.length === 0 || feed.state === 'PAUSED'
      ? []
      : ([
          [
            t('next'),
            <ol key="next" className="next-list">
              {nextTimes.map((at) => (
                <li key={at}>
                  <ZonedTime at={at} zone={schedule?.timeZone} />
                </li>
              ))}
            </ol>,
          ],
        ] as const)),
    ...(expectWithinMinutes === null
      ? []
      : ([[t('expect'), t('within', { time: format.duration(expectWithinMinutes * 60_000) })]] as const)),
    ...(savedBy === null ? [] : ([[t('savedBy'), <bdi key="by">{savedBy}</bdi>]] as const)),
  ];
  return (
    <Section title={t('title')}>
      <dl className="facts-list">
        {facts.map(([term, value]) => (
          <div key={term} className="fact">
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
