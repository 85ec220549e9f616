/** A job that has not ended: how far it is, how fast, how long it will take, and the way to stop it. */
import type { Job } from '@longshore/client';
import { Progress, Section } from '../../components/content.js';
import { shareOf } from '../../jobs/job-state.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { usePace } from './pace.js';

const useText = textsOf('running-job', {
  title: { en: 'Progress', de: 'Fortschritt' },
  waits: { en: 'Waiting for its turn', de: 'Wartet, bis er an der Reihe ist' },
  waitsHelp: { en: 'Imports of a stage run one after another.', de: 'Importe einer Stage laufen nacheinander.' },
  reads: { en: 'The file is read', de: 'Die Datei wird gelesen' },
  imports: { en: 'Rows are imported', de: 'Zeilen werden importiert' },
  checks: { en: 'Rows are checked', de: 'Zeilen werden geprüft' },
  rows: { en: '{done} of {all} rows', de: '{done} von {all} Zeilen' },
  pace: { en: '{rows} rows per second', de: '{rows} Zeilen pro Sekunde' },
  left: { en: '{time} left', de: 'noch {time}' },
  leave: {
    en: 'You can leave this page: you are told when it is done.',
    de: 'Sie können diese Seite verlassen: Sie erfahren, wenn es fertig ist.',
  },
});

export function RunningJob({ job }: { readonly job: Job }) {
  const t = useText();
  const format = useFormat();
  const pace = usePace(job);
  const { totalCount, processedCount } = job.progressTracker;
  const share = shareOf(job);
  const doing = job.options.validateOnly === true ? 'checks' : 'imports';
  const label = job.status === 'SCHEDULED' ? t('waits') : share === undefined ? t('reads') : t(doing);
  const facts = [
    ...(totalCount === null
      ? []
      : [t('rows', { done: format.number(processedCount), all: format.number(totalCount) })]),
    ...(pace === undefined ? [] : [t('pace', { rows: format.number(Math.round(pace.rowsPerSecond)) })]),
    ...(pace?.leftMs === undefined || pace.leftMs < 1_000 ? [] : [t('left', { time: format.duration(pace.leftMs) })]),
  ];
  return (
    <Section title={t('title')} note={t('leave')}>
      <Progress label={label} share={share} note={facts.join(' · ') || t('waitsHelp')} />
      {job.statusMessage === null ? null : (
        <p className="said" lang="en">
          {job.statusMessage}
        </p>
      )}
    </Section>
  );
}
