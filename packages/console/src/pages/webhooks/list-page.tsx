/** The webhooks of a stage, with how their endpoints are doing. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { Badge, EmptyState } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { type Definition, toneOf, useStateText } from './health.js';
import { useWebhookText } from './texts.js';

const MOST = 100;
const AGAIN_MS = 10_000;

const useText = textsOf('webhooks-list', {
  note: {
    en: 'Addresses of yours that Longshore calls when something happens, and how they are doing.',
    de: 'Ihre Adressen, die Longshore aufruft, wenn etwas geschieht, und wie es ihnen geht.',
  },
  emptyTitle: { en: 'No system is told anything yet', de: 'Noch erfährt kein System etwas' },
  empty: {
    en: 'A webhook calls an address of yours as soon as items change, a job ends, or you emit an event of your own. Requests are signed, repeated for about three days, and logged here.',
    de: 'Ein Webhook ruft eine Ihrer Adressen auf, sobald sich Artikel ändern, ein Auftrag endet oder Sie ein eigenes Ereignis senden. Aufrufe sind signiert, werden etwa drei Tage lang wiederholt und hier protokolliert.',
  },
  more: { en: 'The first {count} are shown.', de: 'Die ersten {count} werden gezeigt.' },
});

export function WebhooksPage() {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const params = useParams({ from: '/$stage/webhooks' });
  const mayAdd = useMay('webhooks:write');
  const columns = useColumns();
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', stage.name],
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => api.listWebhooks({ limit: MOST }, { signal }),
  });
  const add = mayAdd ? (
    <ButtonLink kind="primary" icon="webhooks" to="/$stage/webhooks/new" params={params}>
      {w('add')}
    </ButtonLink>
  ) : null;
  return (
    <Page title={w('title')} note={t('note')} actions={data === undefined || data.length === 0 ? null : add}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : data.length === 0 ? (
        <EmptyState title={t('emptyTitle')} icon="webhooks" action={add}>
          {t('empty')}
        </EmptyState>
      ) : (
        <DataTable caption={w('title')} columns={columns} rows={data} keyOf={({ webhookId }) => webhookId} />
      )}
      {data?.length === MOST ? <p className="note">{t('more', { count: format.number(MOST) })}</p> : null}
    </Page>
  );
}

function useColumns(): readonly Column<Definition>[] {
  const w = useWebhookText();
  const stateText = useStateText();
  const format = useFormat();
  const { stage } = usePresent();
  return [
    {
      id: 'target',
      title: w('target'),
      isHeader: true,
      cell: ({ webhookId, target, source, events, filter }) => (
        <span className="import-name">
          <Link to="/$stage/webhooks/$webhookId" params={{ stage: stage.name, webhookId }}>
            <bdi>{target}</bdi>
          </Link>
          <span className="small">
            {source} · <bdi>{events.includes('*') ? w('everyEvent') : events.join(', ')}</bdi>
            {filter === null ? '' : ` · ${w('filtered')}`}
          </span>
        </span>
      ),
    },
    {
      id: 'state',
      title: w('state'),
      cell: (definition) => <Badge tone={toneOf(definition)}>{stateText(definition)}</Badge>,
    },
    {
      id: 'rate',
      title: w('failureRate'),
      isNumber: true,
      cell: ({ health: { failureRate } }) => (failureRate === null ? '–' : format.percent(failureRate)),
    },
    {
      id: 'backlog',
      title: w('waiting'),
      isNumber: true,
      cell: ({ health }) => backlogOf(health, format.number),
    },
    {
      id: 'next',
      title: w('nextAttempt'),
      isMinor: true,
      cell: ({ status, health: { nextAttemptAt } }) =>
        nextAttemptAt === null || status === 'DISABLED' ? (
          '–'
        ) : (
          <time dateTime={nextAttemptAt}>{format.time(nextAttemptAt)}</time>
        ),
    },
  ];
}

/** How many deliveries wait, or at least how many. */
export function backlogOf(
  { backlog, backlogIsLowerBound }: Definition['health'],
  write: (count: number) => string,
): string {
  return backlogIsLowerBound ? `> ${write(backlog)}` : write(backlog);
}
