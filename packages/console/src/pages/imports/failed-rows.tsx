/** The rows that failed: grouped by what is wrong, corrected group by group or cell by cell, and sent again. */
import type { Job, JobError } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { hasWrittenNothing, isPreview, kindOf, waitsForRemoval } from '../../jobs/job-state.js';
import { watchJob } from '../../jobs/watched-jobs.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useCorrections } from './corrections.js';
import { DownloadButton } from './download-button.js';
import { ErrorGroups } from './error-groups.js';
import { cellKey, type ErrorTable } from './error-table.js';
import { FailedGrid } from './failed-grid.js';
import { readErrorFile } from './read-error-file.js';
import { startImport } from './start-import.js';

/** More errors are not shown beside their cells: who has so many corrects them in another program. */
const MOST_ERRORS = 10_000;
const MOST_BYTES = 30_000_000;

const useText = textsOf('failed-rows', {
  title: {
    en: '{count, plural, one {# row failed} other {# rows failed}}',
    de: '{count, plural, one {# Zeile fehlgeschlagen} other {# Zeilen fehlgeschlagen}}',
  },
  note: {
    en: 'The other rows are imported. Correct these here and send them again, or take the error file to your own program.',
    de: 'Die anderen Zeilen sind importiert. Korrigieren Sie diese hier und senden Sie sie noch einmal, oder nehmen Sie die Fehlerdatei mit in Ihr eigenes Programm.',
  },
  previewNote: {
    en: 'Nothing was written: this was a preview. These rows would fail.',
    de: 'Es wurde nichts geschrieben: Das war eine Vorschau. Diese Zeilen würden fehlschlagen.',
  },
  waitsNote: {
    en: 'Nothing is written yet. These rows would fail if it is approved; they can be corrected afterwards.',
    de: 'Noch ist nichts geschrieben. Diese Zeilen würden nach einer Freigabe fehlschlagen; danach kann man sie korrigieren.',
  },
  nothingNote: {
    en: 'Nothing of the file is imported, not even the rows without a mistake. Correct these in your file, and import the whole file again.',
    de: 'Nichts aus der Datei ist importiert, auch nicht die Zeilen ohne Fehler. Korrigieren Sie diese in Ihrer Datei und importieren Sie die ganze Datei noch einmal.',
  },
  brokenNote: {
    en: 'The import did not come to its end: other rows may be missing as well.',
    de: 'Der Import kam nicht zu seinem Ende: Auch andere Zeilen können fehlen.',
  },
  readNote: {
    en: 'The other rows are imported.',
    de: 'Die anderen Zeilen sind importiert.',
  },
  kept: {
    en: '{count, plural, one {# change stays} other {# changes stay}}',
    de: '{count, plural, one {# Änderung bleibt} other {# Änderungen bleiben}}',
  },
  keptNote: {
    en: 'It was changed again or is used since. Everything else is taken back.',
    de: 'Daran wurde seitdem wieder geändert, oder es wird benutzt. Alles andere ist zurückgenommen.',
  },
  wouldKeepNote: {
    en: 'It was changed again or is used since, and would stay as it is.',
    de: 'Daran wurde seitdem wieder geändert, oder es wird benutzt: Es bliebe, wie es ist.',
  },
  download: { en: 'Error file', de: 'Fehlerdatei' },
  elsewhere: { en: 'Correct these rows in the error file', de: 'Korrigieren Sie diese Zeilen in der Fehlerdatei' },
  elsewhereHelp: {
    en: 'It has the form of your file and opens in the same program. Correct the cells, save it, and drop it at "Import a file": it knows how it is to be read.',
    de: 'Sie hat die Form Ihrer Datei und öffnet sich im selben Programm. Korrigieren Sie die Zellen, speichern Sie und legen Sie sie bei „Datei importieren“ ab: Sie weiß, wie sie gelesen wird.',
  },
  gone: { en: 'The failed rows are no longer kept', de: 'Die fehlgeschlagenen Zeilen werden nicht mehr aufbewahrt' },
  goneHelp: { en: 'Import the file again.', de: 'Importieren Sie die Datei noch einmal.' },
  send: {
    en: 'Send {count, plural, one {# row} other {# rows}} again',
    de: '{count, plural, one {# Zeile} other {# Zeilen}} noch einmal senden',
  },
  corrected: { en: '{done} of {all} values corrected', de: '{done} von {all} Werten korrigiert' },
  leftOut: {
    en: '{count, plural, one {# row is left out} other {# rows are left out}}',
    de: '{count, plural, one {# Zeile bleibt weg} other {# Zeilen bleiben weg}}',
  },
});

export function FailedRows({ job }: { readonly job: Job }) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const mayWrite = useMay('catalog:write');
  const [errorFileId] = job.errorFiles;
  const table = useQuery({
    queryKey: ['error-table', stage.name, errorFileId],
    enabled: errorFileId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const file = await api.getFile({ id: errorFileId ?? '' }, { signal });
      if ((file.bytes ?? 0) > MOST_BYTES) return null;
      const read = await readErrorFile(await api.download(file.id, { signal }), file.name, job.profile !== null);
      return read === undefined ? null : { table: read, name: file.name };
    },
  });
  const errors = useQuery({
    queryKey: ['job-errors', stage.name, job.id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const found: JobError[] = [];
      for await (const error of api.jobErrors(job.id, { signal })) {
        found.push(error);
        if (found.length === MOST_ERRORS) break;
      }
      return found;
    },
  });
  const count = job.progressTracker.errorCount;
  const waits = job.status === 'AWAITING_APPROVAL' && !waitsForRemoval(job);
  // Nothing of it is imported: if these rows alone were sent again, the others would stay out.
  const isUndo = kindOf(job) === 'undo';
  const isTrial = isPreview(job) || waits || hasWrittenNothing(job) || isUndo;
  const actions = errorFileId === undefined ? null : <DownloadButton id={errorFileId}>{t('download')}</DownloadButton>;
  return (
    <Section
      title={t(isUndo ? 'kept' : 'title', { count })}
      note={t(waits && !isUndo ? 'waitsNote' : noteOf(job, mayWrite))}
      actions={actions}
    >
      {table.error === null ? null : <ErrorPanel error={table.error} onRetry={() => void table.refetch()} />}
      {errors.error === null ? null : <ErrorPanel error={errors.error} onRetry={() => void errors.refetch()} />}
      {errors.data === undefined || (table.data === undefined && errorFileId !== undefined) ? null : table.data ===
          null ||
        table.data === undefined ||
        isTrial ||
        !mayWrite ? (
        <>
          <ErrorGroups job={job} errors={errors.data} />
          {errorFileId === undefined && !isTrial ? (
            <Notice tone="neutral" title={t('gone')}>
              <p>{t('goneHelp')}</p>
            </Notice>
          ) : !isTrial && mayWrite && table.data === null ? (
            <Notice tone="neutral" title={t('elsewhere')}>
              <p>{t('elsewhereHelp')}</p>
            </Notice>
          ) : null}
        </>
      ) : (
        <Correcting
          key={job.id}
          job={job}
          table={table.data.table}
          fileName={table.data.name}
          errors={errors.data}
          format={format}
        />
      )}
    </Section>
  );
}

/** What has become of the rows that did not fail, and what is to be done. */
function noteOf(job: Job, mayWrite: boolean) {
  if (kindOf(job) === 'undo')
    return job.status.startsWith('COMPLETED') && !isPreview(job) ? 'keptNote' : 'wouldKeepNote';
  if (isPreview(job)) return 'previewNote';
  if (hasWrittenNothing(job)) return 'nothingNote';
  if (!job.status.startsWith('COMPLETED')) return waitsForRemoval(job) ? 'note' : 'brokenNote';
  return mayWrite ? 'note' : 'readNote';
}

interface CorrectingProps {
  readonly job: Job;
  readonly table: ErrorTable;
  readonly fileName: string;
  readonly errors: readonly JobError[];
  readonly format: ReturnType<typeof useFormat>;
}

function Correcting({ job, table, fileName, errors, format }: CorrectingProps) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const navigate = useNavigate();
  const corrections = useCorrections(job.id);
  const [group, setGroup] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const columnOf = useMemo(() => columnFinder(table.columns), [table.columns]);
  const wrongCells = useMemo(
    () =>
      new Set(
        errors.flatMap(({ row, column }) =>
          column === null || columnOf(column) === -1 ? [] : [cellKey(row, columnOf(column))],
        ),
      ),
    [errors, columnOf],
  );
  const done = [...wrongCells].filter((key) => corrections.edits.has(key)).length;
  const rows = table.rows.length - corrections.leftOut.size;
  const send = async () => {
    setSending(true);
    setError(undefined);
    try {
      const file = await table.write(corrections.edits, corrections.leftOut);
      const jobId = await startImport(api, file, { fileName, type: job.type as 'ITEM_IMPORT', retryOf: job.id });
      corrections.forget();
      watchJob({ id: jobId, stage: stage.name, name: fileName });
      await navigate({ to: '/$stage/imports/$jobId', params: { stage: stage.name, jobId } });
    } catch (failure) {
      setError(failure);
    } finally {
      setSending(false);
    }
  };
  return (
    <>
      <ErrorGroups job={job} errors={errors} editing={{ table, corrections, columnOf, group, onGroup: setGroup }} />
      <FailedGrid table={table} errors={errors} corrections={corrections} columnOf={columnOf} group={group} />
      {error === undefined ? null : <ErrorPanel error={error} onRetry={() => void send()} />}
      <div className="send-bar">
        <p>
          <strong>{t('corrected', { done: format.number(done), all: format.number(wrongCells.size) })}</strong>
          {corrections.leftOut.size === 0 ? null : (
            <span className="note"> · {t('leftOut', { count: corrections.leftOut.size })}</span>
          )}
        </p>
        <Button
          kind="primary"
          icon="arrow"
          isPending={isSending}
          isDisabled={rows === 0 || corrections.edits.size + corrections.leftOut.size === 0}
          onPress={() => void send()}
        >
          {t('send', { count: rows })}
        </Button>
      </div>
    </>
  );
}

/** Names of columns are compared as the API does: without case and outer blanks. JSON has values of attributes in a member of their own. @returns -1 for a column of another name */
function columnFinder(columns: readonly string[]): (name: string) => number {
  const keyOf = (name: string) => name.trim().normalize('NFC').toLowerCase();
  const known = new Map(columns.map((name, index) => [keyOf(name), index]));
  return (name) => known.get(keyOf(name)) ?? known.get(`attributes.${keyOf(name)}`) ?? -1;
}
