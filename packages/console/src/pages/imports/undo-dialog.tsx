/** Takes back what an import has changed, with those that corrected its rows: first it shows what that would be. */
import type { Job, LongshoreClient } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { Progress } from '../../components/content.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { changedItems } from '../../jobs/job-state.js';
import { watchJob } from '../../jobs/watched-jobs.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';

/** A revert takes so many jobs at once. */
const MOST_JOBS = 100;

const useText = textsOf('undo', {
  title: { en: 'Undo this import', de: 'Diesen Import rückgängig machen' },
  looking: { en: 'Looking at what would be taken back', de: 'Es wird nachgesehen, was zurückgenommen würde' },
  chain: {
    en: 'It is taken back together with {count, plural, one {the import} other {the # imports}} whose failed rows it corrects.',
    de: 'Er wird zusammen mit {count, plural, one {dem Import zurückgenommen, dessen} other {den # Importen zurückgenommen, deren}} fehlgeschlagene Zeilen er korrigiert.',
  },
  deleted: {
    en: '{count, plural, one {# item is} other {# items are}} deleted that it has created.',
    de: '{count, plural, one {# Artikel, den er angelegt hat, wird} other {# Artikel, die er angelegt hat, werden}} gelöscht.',
  },
  restored: {
    en: '{count, plural, one {# item gets} other {# items get}} back what it had before.',
    de: '{count, plural, one {# Artikel bekommt} other {# Artikel bekommen}} zurück, was vorher da war.',
  },
  recreated: {
    en: '{count, plural, one {# item is} other {# items are}} created again.',
    de: '{count, plural, one {# Artikel wird} other {# Artikel werden}} wieder angelegt.',
  },
  kept: {
    en: '{count, plural, one {# item or definition stays as it is, because it was changed or is used since.} other {# items or definitions stay as they are, because they were changed or are used since.}}',
    de: '{count, plural, one {# Artikel oder Attribut bleibt, wie es ist, weil es seitdem geändert oder benutzt wurde.} other {# Artikel, Attribute oder Kategorien bleiben, wie sie sind, weil sie seitdem geändert oder benutzt wurden.}}',
  },
  definitions: {
    en: 'Attributes, options and categories that it has created go as well, unless something else uses them by now. You can undo the undo.',
    de: 'Angelegte Attribute, Optionen und Kategorien verschwinden mit, wenn nichts anderes sie inzwischen benutzt. Auch die Rücknahme können Sie rückgängig machen.',
  },
  around: {
    en: 'Import profiles, settings and webhooks get back what they had before the archive, unless they were changed or are used since.',
    de: 'Importprofile, Einstellungen und Webhooks bekommen zurück, was sie vor dem Archiv hatten, wenn sie seitdem nicht geändert oder benutzt wurden.',
  },
  confirm: { en: 'Undo', de: 'Rückgängig machen' },
  close: { en: 'Leave it as it is', de: 'So lassen' },
});

export function UndoDialog({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const navigate = useNavigate();
  const { attempt, error, isBusy } = useAttempt();
  const preview = useQuery({
    queryKey: ['undo', stage.name, job.id],
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const ids = await withCorrected(api, job, signal);
      const trial = await api.revert(ids, { validateOnly: true, signal });
      const { operations } = await api.summarizeJobChanges({ id: trial.id }, { signal });
      return { ids, operations, kept: trial.progressTracker.errorCount };
    },
  });
  const undo = (ids: readonly string[]) =>
    attempt(async () => {
      const answer = await api.revertJobs({ body: { jobIds: [...ids] } });
      const jobId = 'jobId' in answer ? answer.jobId : answer.id;
      watchJob({ id: jobId, stage: stage.name, name: job.inputFileName ?? jobId });
      await navigate({ to: '/$stage/imports/$jobId', params: { stage: stage.name, jobId } });
      onClose();
    });
  const { data } = preview;
  const facts = data === undefined ? [] : factsOf(data);
  return (
    <Dialog title={t('title')} isOpen onClose={onClose}>
      {preview.error === null ? null : <ErrorPanel error={preview.error} />}
      {data === undefined && preview.error === null ? <Progress label={t('looking')} share={undefined} /> : null}
      {data === undefined ? null : (
        <>
          {data.ids.length > 1 ? <p>{t('chain', { count: data.ids.length - 1 })}</p> : null}
          <ul className="facts">
            {facts.map(([key, count]) => (
              <li key={key}>{t(key, { count, shown: format.number(count) })}</li>
            ))}
          </ul>
          {job.type === 'SITE_IMPORT' ? <p>{t('around')}</p> : null}
          <p className="note">{t('definitions')}</p>
        </>
      )}
      {error === undefined ? null : <ErrorPanel error={error} />}
      <div className="actions">
        <Button
          kind="primary"
          icon="undo"
          isPending={isBusy}
          isDisabled={data === undefined}
          onPress={() => void undo(data?.ids ?? [])}
        >
          {t('confirm')}
        </Button>
        <Button onPress={onClose}>{t('close')}</Button>
      </div>
    </Dialog>
  );
}

interface Preview {
  readonly operations: { readonly CREATED: number; readonly UPDATED: number; readonly DELETED: number };
  readonly kept: number;
}

function factsOf({ operations, kept }: Preview) {
  const facts = [
    ['deleted', operations.DELETED],
    ['restored', operations.UPDATED],
    ['recreated', operations.CREATED],
    ['kept', kept],
  ] as const;
  return facts.filter(([, count]) => count > 0);
}

/** A job, and those whose failed rows it has sent again: for the user they are one import. */
async function withCorrected(api: LongshoreClient, job: Job, signal: AbortSignal): Promise<string[]> {
  const ids = [job.id];
  for (let next = earlierOf(job); next !== undefined && !ids.includes(next) && ids.length < MOST_JOBS; ) {
    const earlier = await api.getJob({ id: next }, { signal }).catch(() => undefined);
    if (earlier === undefined) break;
    if (changedItems(earlier) > 0) ids.push(earlier.id);
    next = earlierOf(earlier);
  }
  return ids;
}

function earlierOf({ options }: Job): string | undefined {
  return typeof options.retryOf === 'string' ? options.retryOf : undefined;
}
