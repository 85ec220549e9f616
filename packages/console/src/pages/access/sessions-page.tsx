/** Where somebody is logged in: one's own sessions, and those of others for who may end them. */
import type { schemas } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { Badge, Section } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { type Column, DataTable } from '../../components/table.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { setApart } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { browserOf } from './browser-of.js';

const useText = textsOf('sessions', {
  title: { en: 'Sessions', de: 'Sitzungen' },
  note: {
    en: 'Where you are logged in. If you do not know one of them, end it, and ask for a new token.',
    de: 'Wo Sie angemeldet sind. Wenn Sie eine davon nicht kennen, beenden Sie sie und bitten um einen neuen Token.',
  },
  own: { en: 'Your sessions', de: 'Ihre Sitzungen' },
  others: { en: 'Sessions of others', de: 'Sitzungen anderer' },
  where: { en: 'Where', de: 'Wo' },
  who: { en: 'Who', de: 'Wer' },
  current: { en: 'this one', de: 'diese hier' },
  used: { en: 'Last used', de: 'Zuletzt benutzt' },
  since: { en: 'Since', de: 'Seit' },
  ends: { en: 'Ends', de: 'Endet' },
  unknown: { en: 'Unknown browser', de: 'Unbekannter Browser' },
  end: { en: 'End', de: 'Beenden' },
  endOf: { en: 'End the session: {where}, {used}', de: 'Sitzung beenden: {where}, {used}' },
  sinceTime: { en: 'since {time}', de: 'seit {time}' },
  endAll: { en: 'End all others', de: 'Alle anderen beenden' },
  ended: {
    en: '{count, plural, one {The session is} other {# sessions are}} ended',
    de: '{count, plural, one {Die Sitzung ist} other {# Sitzungen sind}} beendet',
  },
  action: { en: 'Action', de: 'Aktion' },
});

type Listed = schemas.ListedSession;

export function SessionsPage() {
  const t = useText();
  const api = useApi();
  const queries = useQueryClient();
  const { session } = usePresent();
  const { attempt, error: failure, isBusy } = useAttempt();
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) => (await api.listSessions({}, { signal })).data,
  });
  const end = (ended: readonly Listed[]) =>
    attempt(async () => {
      try {
        for (const { id } of ended) await api.endSession({ sessionId: id });
        tell({ tone: 'good', title: t('ended', { count: ended.length }) });
      } finally {
        await queries.invalidateQueries({ queryKey: ['sessions'] });
      }
    });
  const mine = data?.filter(({ tokenId }) => tokenId === session.tokenId) ?? [];
  const others = data?.filter(({ tokenId }) => tokenId !== session.tokenId) ?? [];
  const elsewhere = mine.filter(({ current }) => !current);
  const isAdmin = useMay('access:admin');
  const ownColumns = useColumns({ rows: mine, showsName: false, isBusy, end });
  const otherColumns = useColumns({ rows: others, showsName: true, isBusy, end });
  return (
    <Page title={t('title')} note={t('note')}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {failure === undefined ? null : <ErrorPanel error={failure} />}
      {data === undefined ? null : (
        <Section
          title={t('own')}
          actions={
            elsewhere.length === 0 ? null : (
              <Button kind="danger" isPending={isBusy} onPress={() => void end(elsewhere)}>
                {t('endAll')}
              </Button>
            )
          }
        >
          <DataTable caption={t('own')} columns={ownColumns} rows={mine} keyOf={({ id }) => id} />
        </Section>
      )}
      {isAdmin && others.length > 0 ? (
        <Section title={t('others')}>
          <DataTable caption={t('others')} columns={otherColumns} rows={others} keyOf={({ id }) => id} />
        </Section>
      ) : null}
    </Page>
  );
}

interface ColumnsProps {
  readonly rows: readonly Listed[];
  readonly showsName: boolean;
  readonly isBusy: boolean;
  readonly end: (sessions: readonly Listed[]) => Promise<void>;
}

function useColumns({ rows, showsName, isBusy, end }: ColumnsProps): readonly Column<Listed>[] {
  const t = useText();
  const format = useFormat();
  const whereOf = ({ userAgent }: Listed) => browserOf(userAgent) ?? t('unknown');
  const names = distinctNames(
    rows,
    (one) => {
      const said = t('endOf', { where: whereOf(one), used: format.ago(one.lastUsedAt) });
      return showsName ? `${said}, ${setApart(one.name)}` : said;
    },
    ({ createdAt }) => t('sinceTime', { time: format.time(createdAt) }),
  );
  const where: Column<Listed> = {
    id: 'where',
    title: t('where'),
    isHeader: !showsName,
    cell: (one) => (
      <span className="import-name">
        <span className="badges">
          <span title={one.userAgent ?? ''}>{whereOf(one)}</span>
          {one.current ? <Badge tone="good">{t('current')}</Badge> : null}
        </span>
        <span className="small">{one.address ?? ''}</span>
      </span>
    ),
  };
  return [
    ...(showsName
      ? [{ id: 'who', title: t('who'), isHeader: true, cell: ({ name }: Listed) => <bdi>{name}</bdi> }]
      : []),
    where,
    { id: 'used', title: t('used'), cell: ({ lastUsedAt }) => format.ago(lastUsedAt) },
    { id: 'since', title: t('since'), isMinor: true, cell: ({ createdAt }) => format.time(createdAt) },
    { id: 'ends', title: t('ends'), isMinor: true, cell: ({ idleExpiresAt }) => format.time(idleExpiresAt) },
    {
      id: 'end',
      title: t('action'),
      cell: (one) =>
        one.current ? (
          '–'
        ) : (
          <span className="row-actions">
            <Button isPending={isBusy} aria-label={names.get(one) ?? t('end')} onPress={() => void end([one])}>
              {t('end')}
            </Button>
          </span>
        ),
    },
  ];
}
