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
    en: 'It does nothing until somebody lets it go on. What has happened meanwhile, it catches up on then.',
    de: 'Er tut nichts, bis ihn jemand weiterlaufen lässt. Was inzwischen geschehen ist, holt er dann nach.',
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
  breaker: {
    en: 'Because it fails again and again, its schedule waits until then. Correct and save it, or run it now, when the cause is gone.',
    de: 'Weil er immer wieder fehlschlägt, wartet sein Zeitplan so lange. Berichtigen und speichern Sie ihn, oder lassen Sie ihn jetzt laufen, wenn die Ursache behoben ist.',
  },
  overdue: { en: 'There was no new file for {time}', de: 'Seit {time} gab es keine neue Datei' },
  never: { en: 'There was no file yet', de: 'Es gab noch keine Datei' },
  overdueHelp: {
    en: 'One is expected within {time}.',
    de: 'Erwartet wird eine innerhalb von {time}.',
  },
});

const MINUTE = 60_000;

export function FeedCondition({ feed }: { readonly feed: Feed }) {
  const t = useText();
  const format = useFormat();
  const pauseText = usePauseText();
  const { state, pauseReason, failures, breaker, lastFailure, nextRunAt, expectWithinMinutes } = feed;
  const { lastFileAt, createdAt } = feed;
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
          {breaker === 'OPEN' ? <p>{t('breaker')}</p> : null}
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
