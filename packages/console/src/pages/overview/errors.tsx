/** The errors of rows that were most frequent in the last days, each with the newest file that has it. */
import type { schemas } from '@longshore/client';
import { Link, useParams } from '@tanstack/react-router';
import { Section } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import { type Column, DataTable } from '../../components/table.js';
import { useFormat } from '../../texts/format.js';
import { withoutTurns } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { meaningOf, useErrorText } from '../imports/error-texts.js';
import { ErrorsByDay } from './errors-by-day.js';
import { useJobs } from './use-overview.js';

const useText = textsOf('overview-errors', {
  title: { en: 'What goes wrong most, and in whose files', de: 'Was am häufigsten schiefgeht, und in wessen Dateien' },
  none: { en: 'No row has failed in these days.', de: 'In diesen Tagen ist keine Zeile fehlgeschlagen.' },
  what: { en: 'What', de: 'Was' },
  column: { en: 'Column', de: 'Spalte' },
  rows: { en: 'Rows', de: 'Zeilen' },
  jobs: { en: 'Imports', de: 'Importe' },
  newest: { en: 'Newest file', de: 'Neueste Datei' },
  who: { en: 'Sent by', de: 'Gesendet von' },
  open: { en: 'Open the import', de: 'Import öffnen' },
});

type FrequentError = schemas.JobStatistics['errors'][number];

export function Errors({ statistics: { days, errors } }: { readonly statistics: schemas.JobStatistics }) {
  const t = useText();
  const columns = useColumns(errors);
  return (
    <Section title={t('title')}>
      {errors.length === 0 ? (
        <p className="note">{t('none')}</p>
      ) : (
        <>
          <ErrorsByDay days={days} />
          <DataTable
            caption={t('title')}
            columns={columns}
            rows={errors}
            keyOf={({ code, path }) => `${code}:${path ?? ''}`}
          />
        </>
      )}
    </Section>
  );
}

function useColumns(errors: readonly FrequentError[]): readonly Column<FrequentError>[] {
  const t = useText();
  const format = useFormat();
  const meaning = useErrorText();
  const { stage } = useParams({ from: '/$stage' });
  const { data: jobs } = useJobs([...new Set(errors.map(({ jobId }) => jobId))]);
  const files = [...(jobs?.values() ?? [])];
  const names = distinctNames(
    files,
    ({ inputFileName }) => inputFileName ?? t('open'),
    ({ createdAt }) => (createdAt === null ? '' : format.time(createdAt)),
  );
  const nameOf = (jobId: string) => {
    const job = jobs?.get(jobId);
    return job === undefined ? undefined : names.get(job);
  };
  return [
    {
      id: 'what',
      title: t('what'),
      isHeader: true,
      cell: ({ code, example }) => (
        <span className="error-what">
          {meaning(meaningOf(code))}
          <span className="small" lang="en">
            <bdi>{withoutTurns(example)}</bdi>
          </span>
        </span>
      ),
    },
    { id: 'column', title: t('column'), cell: ({ path }) => (path === null ? '–' : <bdi>{path}</bdi>) },
    { id: 'rows', title: t('rows'), isNumber: true, cell: ({ rows }) => format.number(rows) },
    { id: 'jobs', title: t('jobs'), isNumber: true, isMinor: true, cell: (error) => format.number(error.jobs) },
    {
      id: 'newest',
      title: t('newest'),
      cell: ({ jobId }) => (
        <Link to="/$stage/imports/$jobId" params={{ stage, jobId }} className="error-file" aria-label={nameOf(jobId)}>
          <bdi>{jobs?.get(jobId)?.inputFileName ?? t('open')}</bdi>
        </Link>
      ),
    },
    {
      id: 'who',
      title: t('who'),
      isMinor: true,
      cell: ({ jobId }) => <bdi>{jobs?.get(jobId)?.submittedBy?.name ?? '–'}</bdi>,
    },
  ];
}
