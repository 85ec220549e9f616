/** What somebody should know of a feed at once: that it is paused and why, that it fails, that nothing new comes. */
import { Notice } from '../../components/content.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { Failure } from './failure.js';
import { usePauseText } from './feed-state.js';
import type { Feed } from './use-feeds.js';

const useText = textsOf('feed-condition', {
  paused: { en: 'It is paused', de: 'Er ist pausiert' },
  pausedHelp: {
    en: 'It looks for nothing until somebody lets it go on. What was put there meanwhile is taken then.',
    de: 'Er sieht nicht nach, bis ihn jemand weiterlaufen lässt. Was inzwischen abgelegt wurde, nimmt er dann.',
  },
  stopped: { en: 'Longshore has paused it', de: 'Longshore hat ihn pausiert' },
  stoppedHelp: {
    en: 'Edit it and save it again: you are responsible for it then. After that let it go on.',
    de: 'Bearbeiten und speichern Sie ihn neu: Dann verantworten Sie ihn. Lassen Sie ihn danach weiterlaufen.',
  },
  failing: {
    en: '{count, plural, one {The last run has failed} other {The last # runs have failed}}',
    de: '{count, plural, one {Der letzte Lauf ist fehlgeschlagen} other {Die letzten # Läufe sind fehlgeschlagen}}',
  },
  again: { en: 'It is tried again {when}.', de: 'Der nächste Versuch ist {when}.' },
  overdue: { en: 'No new file has come for {time}', de: 'Seit {time} ist keine neue Datei gekommen' },
  never: { en: 'No file has come yet', de: 'Es ist noch keine Datei gekommen' },
  overdueHelp: {
    en: 'One is expected within {time}. Ask those who put them there.',
    de: 'Erwartet wird eine innerhalb von {time}. Fragen Sie, wer sie ablegt.',
  },
});

const MINUTE = 60_000;

export function FeedCondition({ feed }: { readonly feed: Feed }) {
  const t = useText();
  const format = useFormat();
  const pauseText = usePauseText();
  const { state, pauseReason, failures, lastFailure, nextRunAt, expectWithinMinutes, lastFileAt, createdAt } = feed;
  const pause = state === 'PAUSED' && pauseReason !== null ? pauseText(pauseReason) : undefined;
  const waited = Date.now() - new Date(lastFileAt ?? createdAt).getTime();
  const isOverdue = state === 'ACTIVE' && expectWithinMinutes !== null && waited > expectWithinMinutes * MINUTE;
  return (
    <>
      {state !== 'PAUSED' ? null : pause?.isSaid === true ? (
        <Notice tone="bad" title={t('stopped')}>
          <p className="said" lang="en">
            {pause.text}
          </p>
          <p>{t('stoppedHelp')}</p>
        </Notice>
      ) : (
        <Notice tone="neutral" title={t('paused')}>
          <p>{t('pausedHelp')}</p>
        </Notice>
      )}
      {state === 'PAUSED' || failures === 0 || lastFailure === null ? null : (
        <Notice tone="bad" title={t('failing', { count: failures })}>
          <Failure failure={lastFailure} />
          {nextRunAt === null ? null : <p>{t('again', { when: format.time(nextRunAt) })}</p>}
        </Notice>
      )}
      {isOverdue ? (
        <Notice tone="warn" title={lastFileAt === null ? t('never') : t('overdue', { time: format.duration(waited) })}>
          <p>{t('overdueHelp', { time: format.duration(expectWithinMinutes * MINUTE) })}</p>
        </Notice>
      ) : null}
    </>
  );
}
