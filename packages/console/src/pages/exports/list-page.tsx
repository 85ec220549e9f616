/** The exports of a stage, newest first: each can be downloaded as long as its file is kept. */
import type { Job } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { Badge, EmptyState } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { type Column, DataTable } from '../../components/table.js';
import { hasEnded, toneOf, useJobText } from '../../jobs/job-state.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { DownloadButton } from '../imports/download-button.js';
import { WhoInColumn } from '../imports/who.js';
import { EXPORT_TYPES, useExportText, whatOf } from './export-job.js';
import { PresentExport } from './present-export.js';
import { RequestWords, UseAgain } from './request-words.js';
import { SavedExports } from './saved-exports.js';

const PAGE = 20;
const AGAIN_MS = 2_000;

const useText = textsOf('export-list', {
  note: {
    en: 'Files of what the catalog holds: to read, to change and import again, or to hand on.',
    de: 'Dateien mit dem, was der Katalog enthält: zum Lesen, zum Ändern und Wiedereinlesen oder zum Weitergeben.',
  },
  what: { en: 'What', de: 'Was' },
  outcome: { en: 'Outcome', de: 'Ergebnis' },
  rows: { en: 'Rows', de: 'Zeilen' },
  format: { en: 'Format', de: 'Format' },
  when: { en: 'When', de: 'Wann' },
  who: { en: 'Who', de: 'Wer' },
  took: { en: 'Took', de: 'Dauer' },
  byProfile: { en: 'by the profile {name}', de: 'nach dem Profil {name}' },
  file: { en: 'File', de: 'Datei' },
  since: { en: 'Changes since', de: 'Änderungen seitdem' },
  sinceOf: { en: 'Changes since: {name}', de: 'Änderungen seitdem: {name}' },
  published: { en: 'Published files', de: 'Veröffentlichte Dateien' },
  empty: { en: 'Nothing was exported here yet', de: 'Hier wurde noch nichts exportiert' },
  emptyHelp: {
    en: 'Choose which items you need and in which form. An export can be imported again.',
    de: 'Wählen Sie, welche Artikel Sie brauchen und in welcher Form. Ein Export lässt sich wieder importieren.',
  },
});

export function ExportsPage() {
  const t = useText();
  const e = useExportText();
  const api = useApi();
  const { stage } = usePresent();
  const mayRead = useMay('feeds:read');
  const { job, page = 1 } = useSearch({ from: '/$stage/exports' });
  const navigate = useNavigate({ from: '/$stage/exports' });
  const { data, error, refetch } = useQuery({
    queryKey: ['exports', stage.name, page],
    queryFn: ({ signal }) => api.listJobs({ type: EXPORT_TYPES, offset: (page - 1) * PAGE, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some((one) => !hasEnded(one)) ? AGAIN_MS : false),
  });
  const columns = useColumns(data?.data ?? []);
  const link = (
    <ButtonLink kind="primary" icon="download" to="/$stage/exports/new" params={{ stage: stage.name }}>
      {e('new')}
    </ButtonLink>
  );
  const count = data?.count ?? 0;
  const turn = (next: number) => void navigate({ search: next === 1 ? {} : { page: next } });
  return (
    <Page
      title={e('title')}
      note={t('note')}
      actions={
        <>
          {link}
          {mayRead ? (
            <ButtonLink to="/$stage/exports/published" params={{ stage: stage.name }}>
              {t('published')}
            </ButtonLink>
          ) : null}
        </>
      }
    >
      {job === undefined ? null : <PresentExport key={job} jobId={job} onEnded={() => void refetch()} />}
      <SavedExports />
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : count === 0 ? (
        <EmptyState title={t('empty')} icon="download" action={link}>
          {t('emptyHelp')}
        </EmptyState>
      ) : (
        <DataTable caption={e('title')} columns={columns} rows={data.data} keyOf={({ id }) => id} />
      )}
      <Pager page={page} size={PAGE} count={count} onPage={turn} />
    </Page>
  );
}

function useColumns(jobs: readonly Job[]): readonly Column<Job>[] {
  const t = useText();
  const e = useExportText();
  const state = useJobText();
  const format = useFormat();
  const { stage } = usePresent();
  const names = distinctNames(
    jobs,
    (job) => e(whatOf(job)),
    ({ createdAt }) => (createdAt === null ? '' : format.time(createdAt)),
  );
  const nameOf = (job: Job) => names.get(job) ?? e(whatOf(job));
  return [
    {
      id: 'what',
      title: t('what'),
      isHeader: true,
      cell: (job) => (
        <span className="import-name">
          <Link to="/$stage/exports" params={{ stage: stage.name }} search={{ job: job.id }} aria-label={nameOf(job)}>
            {e(whatOf(job))}
          </Link>
          {typeof job.profile?.name === 'string' ? (
            <span className="small">
              <bdi>{t('byProfile', { name: job.profile.name })}</bdi>
            </span>
          ) : null}
          <RequestWords job={job} />
        </span>
      ),
    },
    { id: 'outcome', title: t('outcome'), cell: (job) => <Badge tone={toneOf(job)}>{state(job.status)}</Badge> },
    {
      id: 'rows',
      title: t('rows'),
      isNumber: true,
      isMinor: true,
      cell: ({ progressTracker: { totalCount } }) => (totalCount === null ? '–' : format.number(totalCount)),
    },
    {
      id: 'format',
      title: t('format'),
      isMinor: true,
      cell: ({ options }) => (typeof options.format === 'string' ? options.format : '–'),
    },
    { id: 'who', title: t('who'), isMinor: true, cell: (job) => <WhoInColumn job={job} /> },
    {
      id: 'when',
      title: t('when'),
      cell: ({ createdAt }) => (createdAt === null ? '–' : <time dateTime={createdAt}>{format.ago(createdAt)}</time>),
    },
    {
      id: 'took',
      title: t('took'),
      isNumber: true,
      isMinor: true,
      cell: ({ startedAt, completedAt }) =>
        startedAt === null || completedAt === null
          ? '–'
          : format.duration(new Date(completedAt).getTime() - new Date(startedAt).getTime()),
    },
    {
      id: 'file',
      title: t('file'),
      cell: (job) => {
        const [file] = job.outputFiles;
        return (
          <div className="actions">
            {file === undefined ? null : (
              <DownloadButton id={file} name={e('downloadOf', { name: nameOf(job) })}>
                {e('download')}
              </DownloadButton>
            )}
            <UseAgain job={job} name={nameOf(job)} />
            {file !== undefined && (whatOf(job) === 'items' || whatOf(job) === 'bundles') ? (
              <ButtonLink
                kind="quiet"
                aria-label={t('sinceOf', { name: nameOf(job) })}
                to="/$stage/exports/new"
                params={{ stage: stage.name }}
                search={{ since: job.id, ...(whatOf(job) === 'bundles' ? { type: 'BUNDLE' as const } : {}) }}
              >
                {t('since')}
              </ButtonLink>
            ) : null}
          </div>
        );
      },
    },
  ];
}
