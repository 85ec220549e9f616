/** What can be done with a job: cancel, retry, undo, approve, reject. Only what its state and the token allow is shown. */
import { type Job, LongshoreError } from '@longshore/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { later, useLater } from '../../components/later.js';
import { TextInput } from '../../components/text-input.js';
import { useAttempt } from '../../components/use-attempt.js';
import { changedItems, hasEnded, isPreview, kindOf, waitsForRemoval } from '../../jobs/job-state.js';
import { jobKey } from '../../jobs/use-job.js';
import { watchJob } from '../../jobs/watched-jobs.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';

/** The page is shown without it. */
const undoing = later(() => import('./undo-dialog.js'));

const useText = textsOf('job-actions', {
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  retry: { en: 'Try all again', de: 'Alles noch einmal versuchen' },
  undo: { en: 'Undo', de: 'Rückgängig machen' },
  approveTitle: { en: 'This import waits for an approval', de: 'Dieser Import wartet auf eine Freigabe' },
  approveHelp: {
    en: 'Nothing is written yet. What it would change is below; what is approved is exactly that.',
    de: 'Es ist noch nichts geschrieben. Was sich ändern würde, steht unten; genau das wird freigegeben.',
  },
  removalHelp: {
    en: 'The rows are imported. What would be removed besides is below; what is approved is exactly that.',
    de: 'Die Zeilen sind importiert. Was darüber hinaus entfernt würde, steht unten; genau das wird freigegeben.',
  },
  approveRemoval: { en: 'Approve and remove', de: 'Freigeben und entfernen' },
  keepAll: { en: 'Remove nothing', de: 'Nichts entfernen' },
  approverNeeded: {
    en: 'Somebody with the scope catalog:approve decides about it.',
    de: 'Darüber entscheidet jemand mit dem Recht catalog:approve.',
  },
  note: { en: 'Note (kept with the import)', de: 'Notiz (bleibt beim Import)' },
  approve: { en: 'Approve and import', de: 'Freigeben und importieren' },
  reject: { en: 'Reject', de: 'Ablehnen' },
  own: {
    en: 'Who has sent an import may not approve it, unless the settings of the stage allow it. Ask somebody else.',
    de: 'Wer einen Import geschickt hat, darf ihn nicht freigeben, wenn die Einstellungen der Stage es nicht erlauben. Bitten Sie jemand anderen.',
  },
});

/** Jobs that have changed items can be taken back. */
function canUndo(job: Job): boolean {
  return (
    hasEnded(job) &&
    !isPreview(job) &&
    ['items', 'bundles', 'undo', 'other'].includes(kindOf(job)) &&
    changedItems(job) > 0
  );
}

export function JobActions({ job }: { readonly job: Job }) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const mayWrite = useMay('catalog:write');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { attempt, error, isBusy } = useAttempt();
  const [isUndoing, setUndoing] = useState(false);
  const undo = useLater(undoing);
  const cancel = async () => {
    const { id } = job;
    await api.cancelJob({ id });
    await queries.invalidateQueries({ queryKey: jobKey(stage.name, id) });
  };
  const retry = async () => {
    const answer = await api.retryJob({ id: job.id, body: { rows: 'all' } });
    const jobId = 'jobId' in answer ? answer.jobId : answer.id;
    watchJob({ id: jobId, stage: stage.name, name: job.inputFileName ?? jobId });
    await navigate({ to: '/$stage/imports/$jobId', params: { stage: stage.name, jobId } });
  };
  if (!mayWrite) return null;
  const canRetry =
    ['FAILED', 'CANCELLED'].includes(job.status) ||
    // Without failed rows it has applied all: what the brake has stopped, or what stays, needs the whole file again.
    (job.status === 'COMPLETED_PARTIALLY' && job.progressTracker.errorCount > 0) ||
    (job.status === 'REJECTED' && job.reason === 'ROWS_FAILED');
  return (
    <>
      {!hasEnded(job) && job.status !== 'CANCELLATION_IN_PROGRESS' ? (
        <Button kind="danger" icon="cross" isPending={isBusy} onPress={() => void attempt(cancel)}>
          {t('cancel')}
        </Button>
      ) : null}
      {canRetry ? (
        <Button icon="retry" isPending={isBusy} onPress={() => void attempt(retry)}>
          {t('retry')}
        </Button>
      ) : null}
      {canUndo(job) ? (
        <Button icon="undo" onPress={() => setUndoing(true)}>
          {t('undo')}
        </Button>
      ) : null}
      {isUndoing && undo !== undefined ? <undo.UndoDialog job={job} onClose={() => setUndoing(false)} /> : null}
      {error === undefined ? null : <ErrorPanel error={error} />}
    </>
  );
}

/** The decision about a job that waits for it. */
export function Approval({ job }: { readonly job: Job }) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const mayApprove = useMay('catalog:approve');
  const mayReject = useMay('catalog:write') || mayApprove;
  const queries = useQueryClient();
  const typed = useTyped(`approval.${job.id}`, { note: '' });
  const { note } = typed.values;
  const { attempt, error, isBusy } = useAttempt();
  const decide = (decision: 'approveJob' | 'rejectJob') =>
    attempt(async () => {
      await api[decision]({ id: job.id, body: note === '' ? {} : { note } });
      typed.forget();
      if (decision === 'approveJob') watchJob({ id: job.id, stage: stage.name, name: job.inputFileName ?? job.id });
      await queries.invalidateQueries({ queryKey: jobKey(stage.name, job.id) });
    });
  const ofRemoval = waitsForRemoval(job);
  const isOwn = error instanceof LongshoreError && error.status === 403;
  return (
    <Notice tone="warn" title={t('approveTitle')}>
      <p>{t(ofRemoval ? 'removalHelp' : 'approveHelp')}</p>
      {mayApprove || mayReject ? (
        <div className="approval">
          <TextInput label={t('note')} value={note} onChange={(next) => typed.set({ note: next })} />
          <div className="actions">
            {mayApprove ? (
              <Button kind="primary" icon="check" isDisabled={isBusy} onPress={() => void decide('approveJob')}>
                {t(ofRemoval ? 'approveRemoval' : 'approve')}
              </Button>
            ) : null}
            <Button kind="danger" icon="cross" isDisabled={isBusy} onPress={() => void decide('rejectJob')}>
              {t(ofRemoval ? 'keepAll' : 'reject')}
            </Button>
          </div>
        </div>
      ) : (
        <p>{t('approverNeeded')}</p>
      )}
      {isOwn ? <p>{t('own')}</p> : null}
      {error === undefined ? null : <ErrorPanel error={error} />}
    </Notice>
  );
}
