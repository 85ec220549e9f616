/** The webhooks of a stage, with how their endpoints are doing. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Button, ButtonLink } from '../../components/button.js';
import { Badge, EmptyState } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { type Definition, failureRateOf, toneOf, useStateText } from './health.js';
import { useWebhookText } from './texts.js';

const PAGE = 50;
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
  earlier: { en: 'Earlier webhooks', de: 'Frühere Webhooks' },
  further: { en: 'Further webhooks', de: 'Weitere Webhooks' },
  page: { en: '{from} to {to}', de: '{from} bis {to}' },
  noFurther: { en: 'There are no further webhooks', de: 'Es gibt keine weiteren Webhooks' },
});

export function WebhooksPage() {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const { stage } = usePresent();
  const { page = 1 } = useSearch({ from: '/$stage/webhooks' });
  const params = useParams({ from: '/$stage/webhooks' });
  const mayAdd = useMay('webhooks:write');
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', stage.name, 'page', page],
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => api.listWebhooks({ offset: (page - 1) * PAGE, limit: PAGE + 1 }, { signal }),
    placeholderData: keepPreviousData,
  });
  const columns = useColumns(data ?? []);
  const add = mayAdd ? (
    <ButtonLink kind="primary" icon="webhooks" to="/$stage/webhooks/new" params={params}>
      {w('add')}
    </ButtonLink>
  ) : null;
  return (
    <Page
      title={w('title')}
      note={t('note')}
      actions={data === undefined || (data.length === 0 && page === 1) ? null : add}
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : data.length === 0 && page > 1 ? (
        <EmptyState title={t('noFurther')} icon="webhooks">
          <Pages page={page} shown={0} hasFurther={false} />
        </EmptyState>
      ) : data.length === 0 ? (
        <EmptyState title={t('emptyTitle')} icon="webhooks" action={add}>
          {t('empty')}
        </EmptyState>
      ) : (
        <>
          <DataTable
            caption={w('title')}
            columns={columns}
            rows={data.slice(0, PAGE)}
            keyOf={({ webhookId }) => webhookId}
          />
          <Pages page={page} shown={Math.min(data.length, PAGE)} hasFurther={data.length > PAGE} />
        </>
      )}
    </Page>
  );
}

interface PagesProps {
  readonly page: number;
  readonly shown: number;
  readonly hasFurther: boolean;
}

/** The way to the other pages. How many webhooks there are is not counted: one more than is shown is asked for. */
function Pages({ page, shown, hasFurther }: PagesProps) {
  const t = useText();
  const format = useFormat();
  const navigate = useNavigate({ from: '/$stage/webhooks' });
  if (page === 1 && !hasFurther) return null;
  const to = (next: number) => void navigate({ search: next === 1 ? {} : { page: next } });
  const first = (page - 1) * PAGE;
  return (
    <div className="pager">
      <Button isDisabled={page === 1} onPress={() => to(page - 1)}>
        {t('earlier')}
      </Button>
      {shown === 0 ? null : (
        <span>{t('page', { from: format.number(first + 1), to: format.number(first + shown) })}</span>
      )}
      <Button isDisabled={!hasFurther} onPress={() => to(page + 1)}>
        {t('further')}
      </Button>
    </div>
  );
}

function useColumns(definitions: readonly Definition[]): readonly Column<Definition>[] {
  const w = useWebhookText();
  const stateText = useStateText();
  const format = useFormat();
  const { stage } = usePresent();
  const names = distinctNames(
    definitions,
    ({ target }) => target,
    ({ source, events }) => [source, ...events].join(', '),
  );
  return [
    {
      id: 'target',
      title: w('target'),
      isHeader: true,
      cell: (definition) => {
        const { webhookId, target, source, events, filter } = definition;
        return (
          <span className="import-name">
            <Link
              to="/$stage/webhooks/$webhookId"
              params={{ stage: stage.name, webhookId }}
              aria-label={names.get(definition)}
            >
              <bdi>{target}</bdi>
            </Link>
            <span className="small">
              {source} · <bdi>{events.includes('*') ? w('everyEvent') : events.join(', ')}</bdi>
              {filter === null ? '' : ` · ${w('filtered')}`}
            </span>
          </span>
        );
      },
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
      cell: ({ health }) => failureRateOf(health, format.percent),
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
