/** The events that were sent to the endpoint of a receiver, newest first. */
import type { schemas } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChoiceInput } from '../../components/choice-input.js';
import { Badge, EmptyState, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Pager } from '../../components/pager.js';
import { type Column, DataTable } from '../../components/table.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { TONES, useWebhookText } from '../webhooks/texts.js';
import { goTo, PlaceLink, useAddress } from './address.js';
import { receiverApi } from './receiver-access.js';

const AGAIN_MS = 5_000;
const STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const;

const PAGE = 20;

const useText = textsOf('received-events', {
  title: { en: 'Events', de: 'Ereignisse' },
  outcome: { en: 'Outcome', de: 'Ergebnis' },
  all: { en: 'All', de: 'Alle' },
  event: { en: 'Event', de: 'Ereignis' },
  answer: { en: 'Last answer', de: 'Letzte Antwort' },
  attempts: { en: 'Attempts', de: 'Versuche' },
  when: { en: 'When', de: 'Wann' },
  emptyTitle: { en: 'Nothing was sent yet', de: 'Noch wurde nichts gesendet' },
  empty: {
    en: 'As soon as an event is sent to this address, you see it here with every attempt. Until then, look at how the signature is checked.',
    de: 'Sobald ein Ereignis an diese Adresse gesendet wird, sehen Sie es hier mit jedem Versuch. Sehen Sie sich bis dahin an, wie die Signatur geprüft wird.',
  },
  noneTitle: { en: 'No event is like this', de: 'So ein Ereignis gibt es nicht' },
  none: { en: 'Choose another outcome.', de: 'Wählen Sie ein anderes Ergebnis.' },
});

export function ReceivedEvents() {
  const t = useText();
  const w = useWebhookText();
  const address = useAddress();
  const status = STATUSES.find((one) => one === address.get('status'));
  const page = Math.max(1, Math.floor(Number(address.get('page') ?? 1)) || 1);
  const { data, error, refetch } = useQuery({
    queryKey: ['received', 'list', status, page],
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) =>
      receiverApi.listReceivedEvents(
        { limit: PAGE, offset: (page - 1) * PAGE, ...(status === undefined ? {} : { status }) },
        { signal },
      ),
  });
  const columns = useColumns();
  const count = data?.count ?? 0;
  const show = (outcome: string | undefined, next: number) =>
    goTo({
      ...(outcome === undefined || outcome === 'all' ? {} : { status: outcome }),
      ...(next === 1 ? {} : { page: String(next) }),
    });
  return (
    <Section title={t('title')}>
      {count === 0 && status === undefined ? null : (
        <div className="filters">
          <ChoiceInput
            label={t('outcome')}
            value={status ?? 'all'}
            choices={[{ id: 'all', label: t('all') }, ...STATUSES.map((id) => ({ id, label: w(id) }))]}
            onChange={(outcome) => show(outcome, 1)}
          />
        </div>
      )}
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : count > 0 ? (
        <DataTable
          caption={t('title')}
          columns={columns}
          rows={data.data}
          keyOf={({ eventRequestId }) => eventRequestId}
        />
      ) : (
        <EmptyState title={t(status === undefined ? 'emptyTitle' : 'noneTitle')} icon="send">
          {t(status === undefined ? 'empty' : 'none')}
        </EmptyState>
      )}
      <Pager page={page} size={PAGE} count={count} onPage={(next) => show(status, next)} />
    </Section>
  );
}

function useColumns(): readonly Column<schemas.ReceivedEvent>[] {
  const t = useText();
  const w = useWebhookText();
  const format = useFormat();
  return [
    {
      id: 'event',
      title: t('event'),
      isHeader: true,
      cell: ({ eventRequestId, event, orderNumber }) => (
        <span className="import-name">
          <PlaceLink to={{ event: eventRequestId }}>{event}</PlaceLink>
          {orderNumber === null ? null : (
            <span className="small">
              <bdi>{orderNumber}</bdi>
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
        return last === undefined ? '–' : (last.statusCode ?? <span lang="en">{last.errorMessage}</span>);
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
