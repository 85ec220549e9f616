/** The last events of a webhook's source, with whether a filter lets each of them pass. */
import type { EventLog } from '@longshore/client';
import { Badge, EmptyState, Section } from '../../components/content.js';
import { Code } from '../../components/copied.js';
import { distinctNames } from '../../components/distinct-names.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('filter-events', {
  title: { en: 'The last events', de: 'Die letzten Ereignisse' },
  note: {
    en: 'Each with its payload: paths in a filter begin there.',
    de: 'Jedes mit seinem Inhalt: Dort beginnen die Pfade eines Filters.',
  },
  tried: {
    en: '{passing} of {count, plural, one {# event passes} other {# events pass}}',
    de: '{passing} von {count, plural, one {# Ereignis kommt} other {# Ereignissen kommen}} durch',
  },
  passes: { en: 'Passes', de: 'Kommt durch' },
  stopped: { en: 'Left out', de: 'Bleibt weg' },
  payload: { en: 'Payload', de: 'Inhalt' },
  omitted: { en: 'Too large to be shown here', de: 'Zu groß, um hier gezeigt zu werden' },
  none: { en: 'No event yet', de: 'Noch kein Ereignis' },
  noneHelp: {
    en: 'As soon as one of the events of this webhook has happened, you can try filters on it.',
    de: 'Sobald eines der Ereignisse dieses Webhooks geschehen ist, können Sie Filter daran ausprobieren.',
  },
});

interface FilterEventsProps {
  readonly events: readonly EventLog[];
  /** Undefined: the filter was not tried as it is now. */
  readonly passing: ReadonlyMap<string, boolean> | undefined;
}

export function FilterEvents({ events, passing }: FilterEventsProps) {
  const t = useText();
  const format = useFormat();
  if (events.length === 0) {
    return (
      <EmptyState title={t('none')} icon="clock">
        {t('noneHelp')}
      </EmptyState>
    );
  }
  const outcomeOf = ({ eventRequestId }: EventLog) => {
    const passes = passing?.get(eventRequestId);
    return passes === undefined ? undefined : t(passes ? 'passes' : 'stopped');
  };
  const names = distinctNames(
    events,
    (sent) => [sent.event, format.ago(sent.firstEventTriggeredAt), outcomeOf(sent) ?? ''].join(' ').trim(),
    ({ firstEventTriggeredAt }) => format.time(firstEventTriggeredAt),
  );
  const count = [...(passing ?? new Map<string, boolean>()).values()].filter((passes) => passes).length;
  return (
    <Section title={t('title')} note={t('note')}>
      <p role="status" className="tried">
        {passing === undefined ? '' : t('tried', { passing: format.number(count), count: events.length })}
      </p>
      <ul className="tried-events">
        {events.map((sent) => {
          const { eventRequestId, event, firstEventTriggeredAt, payload, payloadOmitted } = sent;
          const passes = passing?.get(eventRequestId);
          const outcome = outcomeOf(sent);
          return (
            <li key={eventRequestId}>
              <details>
                <summary aria-label={names.get(sent)}>
                  {event} <span className="small">{format.ago(firstEventTriggeredAt)}</span>{' '}
                  {outcome === undefined ? null : <Badge tone={passes === true ? 'good' : 'neutral'}>{outcome}</Badge>}
                </summary>
                <Code
                  label={t('payload')}
                  text={payloadOmitted === true ? t('omitted') : JSON.stringify(payload, null, 2)}
                />
              </details>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
