/** The events that were sent to the endpoint of a receiver, newest first. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { textsOf } from '../../texts/texts.js';
import { EVENTS_AGAIN_MS, EVENTS_ON_PAGE, EventTable, outcomeNamed } from '../webhooks/event-table.js';
import { goTo, PlaceLink, useAddress } from './address.js';
import { receiverApi } from './receiver-access.js';

const useText = textsOf('received-events', {
  empty: {
    en: 'As soon as an event is sent to this address, you see it here with every attempt. Until then, look at how the signature is checked.',
    de: 'Sobald ein Ereignis an diese Adresse gesendet wird, sehen Sie es hier mit jedem Versuch. Sehen Sie sich bis dahin an, wie die Signatur geprüft wird.',
  },
});

export function ReceivedEvents() {
  const t = useText();
  const address = useAddress();
  const status = outcomeNamed(address.get('status'));
  const page = Math.max(1, Math.floor(Number(address.get('page') ?? 1)) || 1);
  const { data, error, refetch } = useQuery({
    queryKey: ['received', 'list', status, page],
    placeholderData: keepPreviousData,
    refetchInterval: EVENTS_AGAIN_MS,
    queryFn: ({ signal }) =>
      receiverApi.listReceivedEvents(
        {
          limit: EVENTS_ON_PAGE,
          offset: (page - 1) * EVENTS_ON_PAGE,
          ...(status === undefined ? {} : { status }),
        },
        { signal },
      ),
  });
  return (
    <EventTable
      events={data?.data}
      count={data?.count ?? 0}
      outcome={status}
      page={page}
      error={error}
      onRetry={() => void refetch()}
      onShow={(outcome, next) =>
        goTo({
          ...(outcome === undefined ? {} : { status: outcome }),
          ...(next === 1 ? {} : { page: String(next) }),
        })
      }
      linkTo={({ eventRequestId, event }, name) => (
        <PlaceLink to={{ event: eventRequestId }} name={name}>
          {event}
        </PlaceLink>
      )}
      empty={t('empty')}
    />
  );
}
