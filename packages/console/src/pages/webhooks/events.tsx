/** The events that a webhook was sent, newest first. */
import type { EventLog } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ChoiceInput } from '../../components/choice-input.js';
import { Badge, EmptyState, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Pager } from '../../components/pager.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { TONES, useWebhookText } from './texts.js';

const AGAIN_MS = 5_000;
const STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const;

const PAGE = 20;

const useText = textsOf('webhook-events', {
  title: { en: 'Events', de: 'Ereignisse' },
  outcome: { en: 'Outcome', de: 'Ergebnis' },
  all: { en: 'All', de: 'Alle' },
  event: { en: 'Event', de: 'Ereignis' },
  when: { en: 'When', de: 'Wann' },
  attempts: { en: 'Attempts', de: 'Versuche' },
  answer: { en: 'Last answer', de: 'Letzte Antwort' },
  order: { en: 'Order {number}', de: 'Bestellung {number}' },
  emptyTitle: { en: 'Nothing was sent yet', de: 'Noch wurde nichts gesendet' },
  empty: {
    en: 'As soon as one of its events happens, you see it here with every attempt. Send a test to see whether the endpoint answers.',
    de: 'Sobald eines seiner Ereignisse geschieht, sehen Sie es hier mit jedem Versuch. Senden Sie einen Test, um zu sehen, ob der Endpunkt antwortet.',
  },
  noneTitle: { en: 'No event is like this', de: 'So ein Ereignis gibt es nicht' },
  none: { en: 'Choose another outcome.', de: 'Wählen Sie ein anderes Ergebnis.' },
});

export function Events({ webhookId }: { readonly webhookId: string }) {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const { stage } = usePresent();
  const { status: chosen, page = 1 } = useSearch({ from: '/$stage/webhooks/$webhookId' });
  const navigate = useNavigate({ from: '/$stage/webhooks/$webhookId' });
  const status = STATUSES.find((one) => one === chosen);
  const { data, error, refetch } = useQuery({
    queryKey: ['events', stage.name, webhookId, status, page],
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) =>
      api.queryEvents(
        {
          body: {
            filters: { webhookId, ...(status === undefined ? {} : { status }) },
            limit: PAGE,
            offset: (page - 1) * PAGE,
          },
        },
        { signal },
      ),
  });
  const columns = useColumns(webhookId);
  const count = data?.count ?? 0;
  const show = (next: { readonly status?: string | undefined; readonly page?: number }) => {
    const { status: outcome = status, page: shown = 1 } = next;
    void navigate({
      search: {
        ...(outcome === undefined || outcome === 'all' ? {} : { status: outcome }),
        ...(shown === 1 ? {} : { page: shown }),
      },
      resetScroll: false,
    });
  };
  return (
    <Section title={t('title')}>
      {count === 0 && status === undefined ? null : (
        <div className="filters">
          <ChoiceInput
            label={t('outcome')}
            value={status ?? 'all'}
            choices={[{ id: 'all', label: t('all') }, ...STATUSES.map((id) => ({ id, label: w(id) }))]}
            onChange={(outcome) => show({ status: outcome })}
          />
        </div>
      )}
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : count > 0 ? (
        <DataTable
          caption={t('title')}
          columns={columns}
          rows={data.webhookEventLogs}
          keyOf={({ eventRequestId }) => eventRequestId}
        />
      ) : (
        <EmptyState title={t(status === undefined ? 'emptyTitle' : 'noneTitle')} icon="send">
          {t(status === undefined ? 'empty' : 'none')}
        </EmptyState>
      )}
      <Pager page={page} size={PAGE} count={count} onPage={(next) => show({ page: next })} />
    </Section>
  );
}

function useColumns(webhookId: string): readonly Column<EventLog>[] {
  const t = useText();
  const w = useWebhookText();
  const format = useFormat();
  const { stage } = useParams({ from: '/$stage' });
  /** A page of events has at most 100 deliveries of each, and the filter names this one. */
  const own = ({ logs }: EventLog) => logs.find((one) => one.webhookId === webhookId);
  return [
    {
      id: 'event',
      title: t('event'),
      isHeader: true,
      cell: ({ eventRequestId, event, orderNumber }) => (
        <span className="import-name">
          <Link to="/$stage/webhooks/$webhookId/events/$eventId" params={{ stage, webhookId, eventId: eventRequestId }}>
            {event}
          </Link>
          {orderNumber === null ? null : (
            <span className="small">
              <bdi>{t('order', { number: orderNumber })}</bdi>
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'outcome',
      title: t('outcome'),
      cell: (log) => {
        const status = own(log)?.status ?? log.status;
        return <Badge tone={TONES[status]}>{w(status)}</Badge>;
      },
    },
    {
      id: 'answer',
      title: t('answer'),
      cell: (log) => {
        const last = own(log)?.responseInfo.at(-1);
        return last === undefined ? '–' : (last.statusCode ?? <span lang="en">{last.errorMessage}</span>);
      },
    },
    {
      id: 'attempts',
      title: t('attempts'),
      isNumber: true,
      isMinor: true,
      cell: (log) => format.number(own(log)?.responseInfo.length ?? 0),
    },
    {
      id: 'when',
      title: t('when'),
      cell: ({ firstEventTriggeredAt: at }) => <time dateTime={at}>{format.ago(at)}</time>,
    },
  ];
}
