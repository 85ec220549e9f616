/** What an import would change: a dry run of the same file, with its counts and its differences. */
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Figures, Notice, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { hasEnded } from '../../jobs/job-state.js';
import { useJob } from '../../jobs/use-job.js';
import { usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { Changes } from './changes.js';
import { ErrorGroupsOf } from './preview-errors.js';
import { RunningJob } from './running-job.js';
import { useImportText } from './texts.js';

const useText = textsOf('preview', {
  title: { en: 'What would change', de: 'Was sich ändern würde' },
  note: {
    en: 'Nothing is written yet. These are the results of a trial run over all rows.',
    de: 'Noch ist nichts geschrieben. Das sind die Ergebnisse eines Probelaufs über alle Zeilen.',
  },
  stale: { en: 'You have changed something since this preview', de: 'Sie haben seit dieser Vorschau etwas geändert' },
  staleHelp: {
    en: 'Look again before you import, if it matters.',
    de: 'Sehen Sie noch einmal nach, bevor Sie importieren, wenn es darauf ankommt.',
  },
  create: { en: 'Would be created', de: 'Würden angelegt' },
  update: { en: 'Would be changed', de: 'Würden geändert' },
  fail: { en: 'Would fail', de: 'Würden fehlschlagen' },
  details: { en: 'Show this preview on a page of its own', de: 'Diese Vorschau auf einer eigenen Seite zeigen' },
  refused: { en: 'The file would be refused', de: 'Die Datei würde abgelehnt' },
});

export function Preview({ jobId, isStale }: { readonly jobId: string; readonly isStale: boolean }) {
  const t = useText();
  const i = useImportText();
  const format = useFormat();
  const { stage } = usePresent();
  const { data: job, error } = useJob(jobId);
  const place = useRef<HTMLDivElement>(null);
  // When it begins and when it has ended: the place is another one then.
  const state = job === undefined ? 'none' : hasEnded(job) ? 'ended' : 'running';
  useEffect(() => {
    if (state !== 'none') place.current?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  }, [state]);
  if (error !== null) return <ErrorPanel error={error} />;
  if (job === undefined) return null;
  const { createdCount, updatedCount, unchangedCount, errorCount } = job.progressTracker;
  return (
    <div ref={place} className="preview" aria-live="polite">
      {hasEnded(job) ? null : <RunningJob job={job} />}
      {hasEnded(job) ? (
        <Section title={t('title')} note={t('note')}>
          {isStale ? (
            <Notice tone="warn" title={t('stale')}>
              <p>{t('staleHelp')}</p>
            </Notice>
          ) : null}
          {job.status === 'COMPLETED' ? null : (
            <Notice tone="bad" title={t('refused')}>
              <p className="said" lang="en">
                {job.statusMessage}
              </p>
            </Notice>
          )}
          <Figures
            figures={[
              { label: t('create'), value: format.number(createdCount), tone: createdCount > 0 ? 'good' : 'neutral' },
              { label: t('update'), value: format.number(updatedCount), tone: updatedCount > 0 ? 'good' : 'neutral' },
              { label: i('unchanged'), value: format.number(unchangedCount) },
              { label: t('fail'), value: format.number(errorCount), tone: errorCount > 0 ? 'bad' : 'neutral' },
            ]}
          />
          {errorCount > 0 ? <ErrorGroupsOf job={job} /> : null}
          <Changes jobId={job.id} />
          <p className="small">
            <Link to="/$stage/imports/$jobId" params={{ stage: stage.name, jobId }}>
              {t('details')}
            </Link>
          </p>
        </Section>
      ) : null}
    </div>
  );
}
