/** What a feed is told to do. */
import { Section } from '../../components/content.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { connectionValuesOf, placeOf } from './connection-values.js';
import { useDestinationFacts } from './destination-facts.js';
import { type Fact, Facts } from './facts.js';
import { zoneOf } from './schedule.js';
import { useScheduleText } from './schedule-text.js';
import { useSourceFacts } from './source-facts.js';
import type { Feed } from './use-feeds.js';
import { ZonedTime } from './zoned-time.js';

const useText = textsOf('feed-facts', {
  title: { en: 'What it is told to do', de: 'Was er tun soll' },
  from: { en: 'Where', de: 'Wo' },
  user: { en: 'As', de: 'Als' },
  hostKey: { en: "Server's key", de: 'Schlüssel des Servers' },
  noKey: { en: 'the one that it shows at the first run', de: 'der, den er beim ersten Lauf zeigt' },
  schedule: { en: 'Runs', de: 'Läuft' },
  next: { en: 'Next', de: 'Als Nächstes' },
  expect: { en: 'Expects a file', de: 'Erwartet eine Datei' },
  within: { en: 'every {time}', de: 'alle {time}' },
  savedBy: { en: 'Saved by', de: 'Gespeichert von' },
});

export function FeedFacts({ feed }: { readonly feed: Feed }) {
  const t = useText();
  const format = useFormat();
  const scheduleText = useScheduleText();
  const ofSource = useSourceFacts(feed);
  const ofDestination = useDestinationFacts(feed);
  const { connection, schedule, expectWithinMinutes, nextTimes, savedBy } = feed;
  const zone = zoneOf(schedule);
  const { user, hostKey } = connectionValuesOf(connection);
  const next = (
    <ol className="next-list">
      {nextTimes.map((at) => (
        <li key={at}>
          <ZonedTime at={at} zone={zone} />
        </li>
      ))}
    </ol>
  );
  const facts: (Fact | false)[] = [
    [t('from'), <bdi key="from">{placeOf(connection)}</bdi>],
    user !== '' && [t('user'), <bdi key="user">{user}</bdi>],
    connection.kind === 'sftp' && [t('hostKey'), hostKey === '' ? t('noKey') : <code key="key">{hostKey}</code>],
    ...ofSource,
    ...ofDestination,
    [t('schedule'), zone === undefined ? scheduleText(schedule) : `${scheduleText(schedule)} (${zone})`],
    nextTimes.length > 0 && zone !== undefined && feed.state === 'ACTIVE' && [t('next'), next],
    expectWithinMinutes !== null && [t('expect'), t('within', { time: format.duration(expectWithinMinutes * 60_000) })],
    savedBy !== null && [t('savedBy'), <bdi key="by">{savedBy}</bdi>],
  ];
  return (
    <Section title={t('title')}>
      <Facts facts={facts.filter((fact) => fact !== false)} />
    </Section>
  );
}
