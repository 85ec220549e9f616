/** The events that a webhook was sent, newest first. */
import type { EventLog } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { SearchField } from '../../components/search-field.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { EVENTS_AGAIN_MS, EVENTS_ON_PAGE, EventTable, outcomeNamed, type SentEvent } from './event-table.js';
import type { EventsSearch } from './events-search.js';

const useText = textsOf('webhook-events', {
  event: { en: 'Event', de: 'Ereignis' },
  order: { en: 'Order number', de: 'Bestellnummer' },
  empty: {
    en: 'As soon as one of its events happens, you see it here with every attempt. Send a test to see whether the endpoint answers.',
    de: 'Sobald eines seiner Ereignisse geschieht, sehen Sie es hier mit jedem Versuch. Senden Sie einen Test, um zu sehen, ob der Endpunkt antwortet.',
  },
});

export function Events({ webhookId }: { readonly webhookId: string }) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const { status: chosen, event, order, page = 1 } = useSearch({ from: '/$stage/webhooks/$webhookId' });
  const navigate = useNavigate({ from: '/$stage/webhooks/$webhookId' });
  const status = outcomeNamed(chosen);
  const { data, error, refetch } = useQuery({
    queryKey: ['events', stage.name, webhookId, status, event, order, page],
    placeholderData: keepPreviousData,
    refetchInterval: EVENTS_AGAIN_MS,
    queryFn: ({ signal }) =>
      api.queryEvents(
        {
          body: {
            filters: {
              webhookId,
              ...(status === undefined ? {} : { status }),
              ...(event === undefined ? {} : { event }),
              ...(order === undefined ? {} : { orderNumber: order }),
            },
            limit: EVENTS_ON_PAGE,
            offset: (page - 1) * EVENTS_ON_PAGE,
          },
        },
        { signal },
      ),
  });
  const show = (wanted: { readonly [K in keyof EventsSearch]: EventsSearch[K] | undefined }) => {
    const named = Object.entries(wanted).filter(([, value]) => value !== undefined && value !== '');
    void navigate({ search: Object.fromEntries(named), resetScroll: false });
  };
  return (
    <EventTable
      events={data?.webhookEventLogs.map((log) => sentTo(webhookId, log))}
      count={data?.count ?? 0}
      outcome={status}
      page={page}
      error={error}
      onRetry={() => void refetch()}
      onShow={(outcome, next) => show({ status: outcome, event, order, ...(next === 1 ? {} : { page: next }) })}
      isSearched={event !== undefined || order !== undefined}
      search={
        <>
          <SearchField
            label={t('event')}
            text={event ?? ''}
            onSearch={(text) => show({ status, order, event: text })}
          />
          <SearchField
            label={t('order')}
            text={order ?? ''}
            onSearch={(text) => show({ status, event, order: text })}
          />
        </>
      }
      linkTo={({ eventRequestId, event }, name) => (
        <Link
          to="/$stage/webhooks/$webhookId/events/$eventId"
          params={{ stage: stage.name, webhookId, eventId: eventRequestId }}
          aria-label={name}
        >
          {event}
        </Link>
      )}
      empty={t('empty')}
    />
  );
}

/** The event with its delivery to this webhook. A page of events has at most 100 of each, and the filter names this one. */
function sentTo(webhookId: string, log: EventLog): SentEvent {
  const own = log.logs.find((one) => one.webhookId === webhookId);
  return { ...log, status: own?.status ?? log.status, responseInfo: own?.responseInfo ?? [] };
}
