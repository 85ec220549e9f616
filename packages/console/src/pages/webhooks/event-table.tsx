/** Events of an endpoint, newest first, by what has become of them: as its owner sees them, and as its receiver does. */
import type { schemas } from '@longshore/client';
import type { ReactNode } from 'react';
import { ChoiceInput } from '../../components/choice-input.js';
import { Badge, EmptyState, Section } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Pager } from '../../components/pager.js';
import { type Column, DataTable } from '../../components/table.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useErrorText } from './error-text.js';
import { TONES, useWebhookText } from './texts.js';

export const EVENTS_AGAIN_MS = 5_000;
export const EVENTS_ON_PAGE = 20;
const OUTCOMES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const;
type Outcome = (typeof OUTCOMES)[number];

const useText = textsOf('event-table', {
  title: { en: 'Events', de: 'Ereignisse' },
  outcome: { en: 'Outcome', de: 'Ergebnis' },
  all: { en: 'All', de: 'Alle' },
  event: { en: 'Event', de: 'Ereignis' },
  order: { en: 'Order {number}', de: 'Bestellung {number}' },
  answer: { en: 'Last answer', de: 'Letzte Antwort' },
  attempts: { en: 'Attempts', de: 'Versuche' },
  when: { en: 'When', de: 'Wann' },
  emptyTitle: { en: 'Nothing was sent yet', de: 'Noch wurde nichts gesendet' },
  noneTitle: { en: 'No event is like this', de: 'So ein Ereignis gibt es nicht' },
  none: { en: 'Choose another outcome.', de: 'Wählen Sie ein anderes Ergebnis.' },
  noneSearched: {
    en: 'Names of events and numbers of orders have to be whole, such as ORDER_CREATED. Or choose another outcome.',
    de: 'Namen von Ereignissen und Nummern von Bestellungen müssen ganz sein, etwa ORDER_CREATED. Oder wählen Sie ein anderes Ergebnis.',
  },
});

/** The outcome that an address names; undefined: all. */
export function outcomeNamed(text: string | null | undefined): Outcome | undefined {
  return OUTCOMES.find((one) => one === text);
}

/** An event with its delivery to the endpoint. */
export interface SentEvent
  extends Pick<schemas.ReceivedEvent, 'eventRequestId' | 'event' | 'orderNumber' | 'firstEventTriggeredAt'> {
  readonly status: keyof typeof TONES;
  readonly responseInfo: schemas.ReceivedEvent['responseInfo'];
}

interface EventTableProps {
  /** Undefined: they are being read. */
  readonly events: readonly SentEvent[] | undefined;
  /** How many there are on all pages. */
  readonly count: number;
  readonly outcome: Outcome | undefined;
  readonly page: number;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** @param outcome undefined: all */
  readonly onShow: (outcome: Outcome | undefined, page: number) => void;
  /** @param name what the event is called among the others */
  readonly linkTo: (event: SentEvent, name: string) => ReactNode;
  /** Further fields that say which are shown. */
  readonly search?: ReactNode;
  /** Something is searched for in these. */
  readonly isSearched?: boolean;
  /** What it says as long as nothing was sent. */
  readonly empty: string;
}

export function EventTable(props: EventTableProps) {
  const { events, count, outcome, page, error, onRetry, onShow, linkTo, search, isSearched = false, empty } = props;
  const isOfAll = outcome === undefined && !isSearched;
  const t = useText();
  const w = useWebhookText();
  const columns = useColumns(events ?? [], linkTo);
  return (
    <Section title={t('title')}>
      {count === 0 && isOfAll ? null : (
        <div className="filters">
          <ChoiceInput
            label={t('outcome')}
            value={outcome ?? 'all'}
            choices={[{ id: 'all', label: t('all') }, ...OUTCOMES.map((id) => ({ id, label: w(id) }))]}
            onChange={(chosen) => onShow(outcomeNamed(chosen), 1)}
          />
          {search}
        </div>
      )}
      {error === null ? null : <ErrorPanel error={error} onRetry={onRetry} />}
      {events === undefined ? null : count > 0 ? (
        <DataTable
          caption={t('title')}
          columns={columns}
          rows={events}
          keyOf={({ eventRequestId }) => eventRequestId}
        />
      ) : (
        <EmptyState title={t(isOfAll ? 'emptyTitle' : 'noneTitle')} icon="send">
          {isOfAll ? empty : t(isSearched ? 'noneSearched' : 'none')}
        </EmptyState>
      )}
      <Pager page={page} size={EVENTS_ON_PAGE} count={count} onPage={(next) => onShow(outcome, next)} />
    </Section>
  );
}

function useColumns(events: readonly SentEvent[], linkTo: EventTableProps['linkTo']): readonly Column<SentEvent>[] {
  const t = useText();
  const w = useWebhookText();
  const errorText = useErrorText();
  const format = useFormat();
  const names = distinctNames(
    events,
    ({ event }) => event,
    ({ orderNumber, firstEventTriggeredAt: at }) =>
      [...(orderNumber === null ? [] : [t('order', { number: orderNumber })]), format.time(at)].join(', '),
  );
  return [
    {
      id: 'event',
      title: t('event'),
      isHeader: true,
      cell: (event) => (
        <span className="import-name">
          {linkTo(event, names.get(event) ?? event.event)}
          {event.orderNumber === null ? null : (
            <span className="small">
              <bdi>{t('order', { number: event.orderNumber })}</bdi>
            </span>
          )}
        </span>
      ),
    },
    { id: 'outcome', title: t('outcome'), cell: ({ status }) => <Badge tone={TONES[status]}>{w(status)}</Badge> },
    {
      id: 'answer',
      title: t('answer'),
      cell: ({ responseInfo }) => {
        const last = responseInfo.at(-1);
        if (last === undefined) return '–';
        const { statusCode, errorMessage } = last;
        if (statusCode !== null || errorMessage === null) return statusCode;
        return errorText(errorMessage) ?? <span lang="en">{errorMessage}</span>;
      },
    },
    {
      id: 'attempts',
      title: t('attempts'),
      isNumber: true,
      isMinor: true,
      cell: ({ responseInfo }) => format.number(responseInfo.length),
    },
    {
      id: 'when',
      title: t('when'),
      cell: ({ firstEventTriggeredAt: at }) => <time dateTime={at}>{format.ago(at)}</time>,
    },
  ];
}
