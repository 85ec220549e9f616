/** What the list of imports says of each. */
import type { Job } from '@longshore/client';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import type { Column } from '../../components/table.js';
import { hasEnded, isPreview, kindOf, nameOf, stateOf, toneOf, useJobText } from '../../jobs/job-state.js';
import { usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useJobOptions } from './job-options.js';
import { useImportText } from './texts.js';
import { WhoInColumn } from './who.js';

const useText = textsOf('import-columns', {
  outcome: { en: 'Outcome', de: 'Ergebnis' },
  file: { en: 'File', de: 'Datei' },
  profile: { en: 'Profile', de: 'Profil' },
  who: { en: 'Who', de: 'Wer' },
  when: { en: 'When', de: 'Wann' },
  duration: { en: 'Took', de: 'Dauer' },
  changed: { en: 'Created / changed', de: 'Neu / geändert' },
});

export function useImportColumns(jobs: readonly Job[]): readonly Column<Job>[] {
  const t = useText();
  const i = useImportText();
  const state = useJobText();
  const format = useFormat();
  const { stage } = usePresent();
  const optionsOf = useJobOptions();
  const names = distinctNames(
    jobs,
    (job) => (isHeld(job) ? (job.inputFileName ?? '') : nameOf(job, state)),
    ({ createdAt }) => (createdAt === null ? '' : format.time(createdAt)),
  );
  return [
    {
      id: 'file',
      title: t('file'),
      isHeader: true,
      cell: (job) => (
        <span className="import-name">
          {isHeld(job) ? (
            <Link
              to="/$stage/imports/new/$fileId"
              params={{ stage: stage.name, fileId: job.inputFileId }}
              aria-label={names.get(job)}
            >
              {job.inputFileName}
            </Link>
          ) : (
            <Link to="/$stage/imports/$jobId" params={{ stage: stage.name, jobId: job.id }} aria-label={names.get(job)}>
              {nameOf(job, state)}
            </Link>
          )}
          <span className="small">
            <bdi>{kindOf(job) === 'undo' ? '' : [state(kindOf(job)), ...optionsOf(job)].join(' · ')}</bdi>
            {job.createdAt === null ? null : <span className="only-narrow"> · {format.ago(job.createdAt)}</span>}
          </span>
        </span>
      ),
    },
    {
      id: 'outcome',
      title: t('outcome'),
      cell: (job) => (
        <span className="badges">
          <Badge tone={toneOf(job)}>{state(stateOf(job))}</Badge>
          {isPreview(job) ? <Badge tone="neutral">{state('preview')}</Badge> : null}
        </span>
      ),
    },
    {
      id: 'changed',
      title: t('changed'),
      isNumber: true,
      isMinor: true,
      cell: ({ progressTracker: { createdCount, updatedCount } }) =>
        `${format.number(createdCount)} / ${format.number(updatedCount)}`,
    },
    {
      id: 'failed',
      title: i('failed'),
      isNumber: true,
      cell: ({ progressTracker: { errorCount } }) =>
        errorCount === 0 ? '0' : <strong className="bad-number">{format.number(errorCount)}</strong>,
    },
    { id: 'profile', title: t('profile'), isMinor: true, cell: ({ profile }) => profile?.name ?? '–' },
    { id: 'who', title: t('who'), isMinor: true, cell: (job) => <WhoInColumn job={job} /> },
    {
      id: 'when',
      title: t('when'),
      isMinor: true,
      cell: ({ createdAt }) => (createdAt === null ? '–' : <time dateTime={createdAt}>{format.ago(createdAt)}</time>),
    },
    {
      id: 'duration',
      title: t('duration'),
      isNumber: true,
      isMinor: true,
      cell: (job) => durationOf(job, format.duration),
    },
  ];
}

/** Its file waits for somebody to say how it is imported. */
function isHeld(job: Job): job is Job & { inputFileId: string } {
  return job.status === 'AWAITING_PROFILE' && job.inputFileId !== null;
}

function durationOf(job: Job, write: (milliseconds: number) => string): string {
  if (job.startedAt === null || !hasEnded(job)) return '–';
  return write(new Date(job.completedAt ?? job.startedAt).getTime() - new Date(job.startedAt).getTime());
}
