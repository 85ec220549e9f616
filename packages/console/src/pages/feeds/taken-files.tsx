/** The files that a feed has taken, newest first, with what became of their imports. */
import type { Job } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { Badge, Section } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Pager } from '../../components/pager.js';
import { type Column, DataTable } from '../../components/table.js';
import { stateOf, toneOf, useJobText } from '../../jobs/job-state.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import type { Feed } from './use-feeds.js';

const PAGE = 10;

const useText = textsOf('feed-files', {
  title: { en: 'Files that it has taken', de: 'Dateien, die er genommen hat' },
  note: {
    en: 'A file that is found again as it was is not imported again; one with another content is. If an import went wrong, correct the feed and have it take the file again.',
    de: 'Eine Datei, die unverändert wieder gefunden wird, wird nicht noch einmal importiert; eine mit anderem Inhalt schon. Ging ein Import schief, berichtigen Sie den Feed und lassen ihn die Datei noch einmal nehmen.',
  },
  none: { en: 'None yet.', de: 'Noch keine.' },
  name: { en: 'File', de: 'Datei' },
  outcome: { en: 'Import', de: 'Import' },
  changed: { en: 'Created / changed', de: 'Neu / geändert' },
  failed: { en: 'Failed', de: 'Fehlgeschlagen' },
  size: { en: 'Size', de: 'Größe' },
  when: { en: 'Taken', de: 'Genommen' },
  cleared: { en: 'moved or deleted since', de: 'seitdem verschoben oder gelöscht' },
  gone: { en: 'no longer kept', de: 'nicht mehr aufbewahrt' },
  again: { en: 'Take again', de: 'Noch einmal nehmen' },
  againFile: { en: 'Take again: {name}', de: 'Noch einmal nehmen: {name}' },
});

interface Taken {
  readonly name: string;
  readonly jobId: string;
  readonly bytes: number;
  readonly takenAt: string;
  readonly clearedAt: string | null;
  /** Undefined: it is no longer kept. */
  readonly job: Job | undefined;
  /** Whether no later content of this name is known. */
  readonly isLast: boolean;
}

/** Whether its import was not what somebody wanted: it was not carried out, or not as a whole. */
function wentWrong(job: Job | undefined): boolean {
  return job !== undefined && job.completedAt !== null && job.status !== 'COMPLETED';
}

interface TakenFilesProps {
  readonly feed: Feed;
  /** Has it take the file of this name again; undefined: it cannot now, or the person may not. */
  readonly onAgain: ((name: string) => void) | undefined;
}

export function TakenFiles({ feed, onAgain }: TakenFilesProps) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const { page, files = 1 } = useSearch({ from: '/$stage/feeds/$feedId' });
  const navigate = useNavigate({ from: '/$stage/feeds/$feedId' });
  const { id: feedId, lastRun } = feed;
  const { data, error, refetch } = useQuery({
    queryKey: ['feed-files', stage.name, feedId, files, lastRun?.jobId, lastRun?.status, lastRun?.imports.unended],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const taken = await api.listFeedFiles({ feedId, offset: (files - 1) * PAGE, limit: PAGE }, { signal });
      const ids = taken.data.map(({ jobId }) => jobId);
      const jobs = ids.length === 0 ? [] : (await api.listJobs({ ids, limit: PAGE }, { signal })).data;
      const byId = new Map(jobs.map((job) => [job.id, job]));
      const rows = taken.data.map((file, index) => ({
        ...file,
        job: byId.get(file.jobId),
        // It takes the last content that a name had.
        isLast: files === 1 && taken.data.findIndex(({ name }) => name === file.name) === index,
      }));
      return { count: taken.count, rows };
    },
  });
  const columns = useColumns(data?.rows ?? [], onAgain);
  const turn = (next: number) =>
    void navigate({ search: { ...(page === undefined ? {} : { page }), ...(next === 1 ? {} : { files: next }) } });
  return (
    <Section title={t('title')} note={t('note')}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : data.count === 0 ? (
        <p className="note">{t('none')}</p>
      ) : (
        <DataTable
          caption={t('title')}
          columns={columns}
          rows={data.rows}
          // A content that comes back is taken again, under the same name.
          keyOf={({ jobId }) => jobId}
        />
      )}
      <Pager page={files} size={PAGE} count={data?.count ?? 0} onPage={turn} />
    </Section>
  );
}

function useColumns(files: readonly Taken[], onAgain: TakenFilesProps['onAgain']): readonly Column<Taken>[] {
  const t = useText();
  const format = useFormat();
  const state = useJobText();
  const { stage } = usePresent();
  const names = distinctNames(
    files,
    ({ name }) => name,
    ({ takenAt }) => format.time(takenAt),
  );
  return [
    {
      id: 'name',
      title: t('name'),
      isHeader: true,
      cell: (file) => (
        <span className="import-name">
          {file.job === undefined ? (
            <bdi>{file.name}</bdi>
          ) : (
            <Link
              to="/$stage/imports/$jobId"
              params={{ stage: stage.name, jobId: file.job.id }}
              aria-label={names.get(file)}
            >
              <bdi>{file.name}</bdi>
            </Link>
          )}
          {file.clearedAt === null ? null : <span className="small">{t('cleared')}</span>}
        </span>
      ),
    },
    {
      id: 'outcome',
      title: t('outcome'),
      cell: ({ job, name, isLast }) => (
        <span className="badges">
          {job === undefined ? t('gone') : <Badge tone={toneOf(job)}>{state(stateOf(job))}</Badge>}
          {onAgain !== undefined && isLast && wentWrong(job) ? (
            <Button aria-label={t('againFile', { name })} onPress={() => onAgain(name)}>
              {t('again')}
            </Button>
          ) : null}
        </span>
      ),
    },
    {
      id: 'changed',
      title: t('changed'),
      isNumber: true,
      cell: ({ job }) =>
        job === undefined
          ? '–'
          : `${format.number(job.progressTracker.createdCount)} / ${format.number(job.progressTracker.updatedCount)}`,
    },
    {
      id: 'failed',
      title: t('failed'),
      isNumber: true,
      isMinor: true,
      cell: ({ job }) => {
        const failed = job?.progressTracker.errorCount ?? 0;
        return failed === 0 ? '0' : <strong className="bad-number">{format.number(failed)}</strong>;
      },
    },
    { id: 'size', title: t('size'), isNumber: true, isMinor: true, cell: ({ bytes }) => format.bytes(bytes) },
    {
      id: 'when',
      title: t('when'),
      isMinor: true,
      cell: ({ takenAt }) => <time dateTime={takenAt}>{format.ago(takenAt)}</time>,
    },
  ];
}
