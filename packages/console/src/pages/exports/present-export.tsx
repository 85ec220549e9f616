/** The export that somebody has just asked for: how far it is, what was left out, and its file. */
import { useEffect, useEffectEvent } from 'react';
import { Notice, Progress, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { type Column, DataTable } from '../../components/table.js';
import { hasEnded, shareOf } from '../../jobs/job-state.js';
import { useJob } from '../../jobs/use-job.js';
import { useFormat } from '../../texts/format.js';
import { withoutTurns } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { DownloadButton } from '../imports/download-button.js';
import { useExportText, whatOf } from './export-job.js';
import { RequestWords, UseAgain } from './request-words.js';

const useText = textsOf('present-export', {
  writing: { en: 'The file is written', de: 'Die Datei wird geschrieben' },
  rows: { en: '{count, plural, one {# row} other {# rows}}', de: '{count, plural, one {# Zeile} other {# Zeilen}}' },
  ready: {
    en: 'The file is ready: {count, plural, one {# row} other {# rows}}',
    de: 'Die Datei ist fertig: {count, plural, one {# Zeile} other {# Zeilen}}',
  },
  failed: { en: 'The file was not written', de: 'Die Datei wurde nicht geschrieben' },
  warnings: { en: 'What was not written', de: 'Was nicht geschrieben wurde' },
  column: { en: 'Column', de: 'Spalte' },
  says: { en: 'What was noticed', de: 'Was auffiel' },
  count: { en: 'Rows', de: 'Zeilen' },
});

interface PresentExportProps {
  readonly jobId: string;
  /** What lists it shows it as it is. */
  readonly onEnded: () => void;
}

export function PresentExport({ jobId, onEnded }: PresentExportProps) {
  const t = useText();
  const e = useExportText();
  const format = useFormat();
  const { data: job, error } = useJob(jobId);
  const isOver = job !== undefined && hasEnded(job);
  const tellEnded = useEffectEvent(onEnded);
  useEffect(() => {
    if (isOver) tellEnded();
  }, [isOver]);
  if (error !== null) return <ErrorPanel error={error} />;
  if (job === undefined) return null;
  const { processedCount, totalCount } = job.progressTracker;
  const [file] = job.outputFiles;
  type Warning = (typeof job.warnings)[number];
  const columns: Column<Warning>[] = [
    { id: 'path', title: t('column'), isHeader: true, cell: ({ path }) => <bdi>{path ?? '–'}</bdi> },
    { id: 'says', title: t('says'), cell: ({ example }) => <span lang="en">{withoutTurns(example)}</span> },
    { id: 'count', title: t('count'), isNumber: true, cell: ({ count }) => format.number(count) },
  ];
  return (
    <Section title={e(whatOf(job))} note={<RequestWords job={job} isWhole />} actions={<UseAgain job={job} />}>
      {hasEnded(job) ? null : (
        <Progress
          label={t('writing')}
          share={shareOf(job)}
          note={processedCount > 0 ? t('rows', { count: processedCount }) : undefined}
        />
      )}
      {hasEnded(job) && file !== undefined ? (
        <Notice
          tone="good"
          title={t('ready', { count: totalCount ?? 0 })}
          actions={<DownloadButton id={file}>{e('download')}</DownloadButton>}
        >
          {job.statusMessage === null ? null : (
            <p className="said" lang="en">
              {job.statusMessage}
            </p>
          )}
        </Notice>
      ) : null}
      {hasEnded(job) && file === undefined ? (
        <Notice tone="bad" title={t('failed')}>
          <p className="said" lang="en">
            {job.statusMessage ?? job.status}
          </p>
        </Notice>
      ) : null}
      {job.warnings.length === 0 ? null : (
        <div className="changes-part">
          <h3>{t('warnings')}</h3>
          <DataTable
            isDense
            caption={t('warnings')}
            columns={columns}
            rows={job.warnings}
            keyOf={({ code, path }) => `${code}:${path}`}
          />
        </div>
      )}
    </Section>
  );
}
