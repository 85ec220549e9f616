/** One import: while it runs, how far it is; afterwards what became of it, and what can be done about it. */
import type { Job } from '@longshore/client';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Figures, Notice, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { type Column, DataTable } from '../../components/table.js';
import {
  changedItems,
  hasEnded,
  isPreview,
  isUnapproved,
  kindOf,
  nameOf,
  useJobText,
  waitsForRemoval,
  wasOnlyShown,
} from '../../jobs/job-state.js';
import { useJob } from '../../jobs/use-job.js';
import { unwatchJobs } from '../../jobs/watched-jobs.js';
import { useFormat } from '../../texts/format.js';
import { withoutTurns } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { Changes } from './changes.js';
import { FailedRows } from './failed-rows.js';
import { Approval, JobActions } from './job-actions.js';
import { JobNote } from './job-note.js';
import { RemovalNotice, useRemovalFigures, wayOf } from './removal.js';
import { RemovedItems } from './removed-items.js';
import { RunningJob } from './running-job.js';
import { useImportText } from './texts.js';

const useText = textsOf('job-page', {
  undoOf: { en: 'Takes back an import', de: 'Nimmt einen Import zurück' },
  allDone: { en: 'All rows are imported', de: 'Alle Zeilen sind importiert' },
  allSame: {
    en: 'Nothing has changed: the catalog was like this already',
    de: 'Nichts hat sich geändert: Der Katalog war schon so',
  },
  undone: { en: 'It is taken back', de: 'Zurückgenommen' },
  wouldWork: { en: 'Every row would be imported', de: 'Jede Zeile würde importiert' },
  rejected: { en: 'Nothing was imported', de: 'Nichts wurde importiert' },
  failed: { en: 'The import could not be finished', de: 'Der Import konnte nicht beendet werden' },
  cancelled: { en: 'The import was cancelled', de: 'Der Import wurde abgebrochen' },
  expired: { en: 'Nobody has gone on with it in time', de: 'Niemand hat ihn rechtzeitig fortgesetzt' },
  changes: { en: 'What changed', de: 'Was sich geändert hat' },
  wouldChange: { en: 'What would change', de: 'Was sich ändern würde' },
  definitions: { en: 'Created for it', de: 'Dafür angelegt' },
  definitionCounts: {
    en: '{attributes, plural, one {# attribute} other {# attributes}}, {options, plural, one {# option} other {# options}}, {categories, plural, one {# category} other {# categories}}, {assignments, plural, one {# assignment} other {# assignments}}',
    de: '{attributes, plural, one {# Attribut} other {# Attribute}}, {options, plural, one {# Option} other {# Optionen}}, {categories, plural, one {# Kategorie} other {# Kategorien}}, {assignments, plural, one {# Zuordnung} other {# Zuordnungen}}',
  },
  warnings: { en: 'What was noticed', de: 'Was aufgefallen ist' },
  warningsNote: {
    en: 'These rows are imported. Look whether they are as you meant them.',
    de: 'Diese Zeilen sind importiert. Sehen Sie nach, ob sie so gemeint sind.',
  },
  trialWarningsNote: {
    en: 'These rows would be imported. Look whether they are as you meant them.',
    de: 'Diese Zeilen würden importiert. Sehen Sie nach, ob sie so gemeint sind.',
  },
  column: { en: 'Column', de: 'Spalte' },
  rows: { en: 'Rows', de: 'Zeilen' },
  says: { en: 'What', de: 'Was' },
  wouldCreate: { en: 'Would be created', de: 'Würden angelegt' },
  wouldUpdate: { en: 'Would be changed', de: 'Würden geändert' },
  wouldFail: { en: 'Would fail', de: 'Würden fehlschlagen' },
});

export function JobPage() {
  const i = useImportText();
  const { stage, jobId } = useParams({ from: '/$stage/imports/$jobId' });
  const { data: job, error, refetch } = useJob(jobId);
  const back = (
    <Link to="/$stage/imports" params={{ stage }}>
      {i('back')}
    </Link>
  );
  if (job === undefined) {
    return (
      <Page title={i('title')} above={back}>
        {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return (
    <>
      {/* What was known of it stays. */}
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      <ShownJob key={job.id} job={job} back={back} />
    </>
  );
}

function ShownJob({ job, back }: { readonly job: Job; readonly back: ReactNode }) {
  const t = useText();
  const state = useJobText();
  const kind = kindOf(job);
  const title = nameOf(job, state);
  const waits = job.status === 'AWAITING_APPROVAL';
  const isSeen = waits || hasEnded(job);
  useEffect(() => {
    // Who has seen the end here need not be told of it.
    if (isSeen && !document.hidden) unwatchJobs([job.id]);
  }, [isSeen, job.id]);
  const { errorCount } = job.progressTracker;
  const isOfDefinitions = kind === 'attributes' || kind === 'categories';
  const hasCreated = Object.values(job.created ?? {}).some((count) => count > 0);
  // An archive changes what is around the catalog as well, which its counts do not say.
  const onlyShown = wasOnlyShown(job);
  const showsChanges = isSeen && (changedItems(job) > 0 || hasCreated || job.archive !== undefined || onlyShown);
  return (
    <Page title={title} above={back} note={<JobNote job={job} />} actions={<JobActions job={job} />}>
      {waits ? <Approval job={job} /> : hasEnded(job) ? <Outcome job={job} /> : <RunningJob job={job} />}
      {isSeen ? <RemovalNotice job={job} /> : null}
      {isSeen ? <Counts job={job} /> : null}
      {hasEnded(job) && errorCount > 0 ? <FailedRows job={job} /> : null}
      {waits && errorCount > 0 ? <FailedRows job={job} /> : null}
      {isSeen ? <RemovedItems job={job} /> : null}
      {showsChanges && (kind !== 'other' || job.archive !== undefined) ? (
        <Section title={isPreview(job) || waits || isUnapproved(job) ? t('wouldChange') : t('changes')}>
          <Changes
            jobId={job.id}
            hasOwnListOfDeleted={wayOf(job) === 'delete'}
            isOfDefinitions={isOfDefinitions || job.archive !== undefined}
          />
        </Section>
      ) : null}
      {job.warnings.length > 0 ? <Warnings job={job} /> : null}
    </Page>
  );
}

function Outcome({ job }: { readonly job: Job }) {
  const t = useText();
  const { errorCount } = job.progressTracker;
  const said =
    job.statusMessage === null ? null : (
      <p className="said" lang="en">
        {job.statusMessage}
      </p>
    );
  switch (job.status) {
    case 'COMPLETED':
      if (errorCount > 0) return null;
      if (isPreview(job)) return <Notice tone="good" title={t('wouldWork')} />;
      if (kindOf(job) === 'undo') return <Notice tone="good" title={t('undone')} />;
      return <Notice tone="good" title={changedItems(job) === 0 ? t('allSame') : t('allDone')} />;
    case 'REJECTED':
      // It says so itself, in words.
      if (job.reason === 'SNAPSHOT_BRAKE' && job.removal !== undefined) return null;
      return (
        <Notice tone="bad" title={t('rejected')}>
          {said}
        </Notice>
      );
    case 'FAILED':
      return (
        <Notice tone="bad" title={t('failed')}>
          {said}
        </Notice>
      );
    case 'CANCELLED':
      return (
        <Notice tone="neutral" title={t('cancelled')}>
          {said}
        </Notice>
      );
    case 'EXPIRED':
      return (
        <Notice tone="neutral" title={t('expired')}>
          {said}
        </Notice>
      );
    default:
      return null;
  }
}

function Counts({ job }: { readonly job: Job }) {
  const t = useText();
  const i = useImportText();
  const format = useFormat();
  const { createdCount, updatedCount, unchangedCount, errorCount } = job.progressTracker;
  const isTrial = isPreview(job) || (job.status === 'AWAITING_APPROVAL' && !waitsForRemoval(job));
  const { created } = job;
  const ofRemoval = useRemovalFigures(job);
  return (
    <>
      <Figures
        figures={[
          {
            label: isTrial ? t('wouldCreate') : i('created'),
            value: format.number(createdCount),
            tone: createdCount > 0 ? 'good' : 'neutral',
          },
          {
            label: isTrial ? t('wouldUpdate') : i('updated'),
            value: format.number(updatedCount),
            tone: updatedCount > 0 ? 'good' : 'neutral',
          },
          { label: i('unchanged'), value: format.number(unchangedCount) },
          {
            label: isTrial ? t('wouldFail') : i('failed'),
            value: format.number(errorCount),
            tone: errorCount > 0 ? 'bad' : 'neutral',
          },
          ...ofRemoval,
        ]}
      />
      {created === undefined || Object.values(created).every((count) => count === 0) ? null : (
        <p className="note">
          <strong>{t('definitions')}:</strong> {t('definitionCounts', created)}
        </p>
      )}
    </>
  );
}

function Warnings({ job }: { readonly job: Job }) {
  const t = useText();
  const format = useFormat();
  // What was only shown was not imported.
  const isTrial = isPreview(job) || job.status === 'AWAITING_APPROVAL' || wasOnlyShown(job);
  type Warning = Job['warnings'][number];
  const columns: Column<Warning>[] = [
    { id: 'path', title: t('column'), isHeader: true, cell: ({ path }) => <bdi>{path ?? '–'}</bdi> },
    { id: 'what', title: t('says'), cell: ({ example }) => <span lang="en">{withoutTurns(example)}</span> },
    { id: 'count', title: t('rows'), isNumber: true, cell: ({ count }) => format.number(count) },
  ];
  return (
    <Section title={t('warnings')} note={t(isTrial ? 'trialWarningsNote' : 'warningsNote')}>
      <DataTable
        isDense
        caption={t('warnings')}
        columns={columns}
        rows={job.warnings}
        keyOf={({ code, path }) => `${code}:${path}`}
      />
    </Section>
  );
}
