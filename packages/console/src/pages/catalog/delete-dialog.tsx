/** Says what goes if something is deleted, deletes it as one job when that is meant, and offers to take it back. */
import type { BulkResult } from '@longshore/client';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice, Progress } from '../../components/content.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { Changes } from '../imports/changes.js';
import { DialogEnd } from './dialog-end.js';
import { FailedRows } from './failed-rows.js';
import { UndoWritten } from './undo-written.js';

const useText = textsOf('delete-dialog', {
  title: { en: 'Delete “{name}”?', de: '„{name}“ löschen?' },
  looking: { en: 'Looking at what would go', de: 'Es wird nachgesehen, was verschwinden würde' },
  deleting: { en: 'It is deleted', de: 'Es wird gelöscht' },
  refused: { en: 'This cannot be deleted', de: 'Das kann nicht gelöscht werden' },
  delete: { en: 'Delete', de: 'Löschen' },
  keep: { en: 'Keep it', de: 'Behalten' },
  close: { en: 'Close', de: 'Schließen' },
  deleted: { en: '“{name}” is deleted', de: '„{name}“ ist gelöscht' },
  waits: { en: 'The deletion waits for an approval', de: 'Das Löschen wartet auf eine Freigabe' },
  job: { en: 'Show the whole result', de: 'Ganzes Ergebnis ansehen' },
});

type Step =
  | { readonly is: 'looking' | 'deleting' }
  | { readonly is: 'preview' | 'deleted'; readonly result: BulkResult };

interface DeleteDialogProps {
  readonly name: string;
  /** Does it as one job, or says with a dry run what it would do. */
  readonly send: (dryRun: boolean, signal: AbortSignal) => Promise<BulkResult>;
  /** What the dry run does not say. */
  readonly children?: ReactNode;
  readonly isOfDefinitions?: boolean;
  /** It is deleted, or there again. */
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function DeleteDialog({ name, send, children, isOfDefinitions = false, onChanged, onClose }: DeleteDialogProps) {
  const t = useText();
  const [step, setStep] = useState<Step>({ is: 'looking' });
  const [error, setError] = useState<unknown>();
  // Another function at each rendering of the page does the same.
  const sending = useRef(send);
  const attempt = useCallback(async (is: 'looking' | 'deleting', signal: AbortSignal) => {
    setError(undefined);
    setStep({ is });
    try {
      const result = await sending.current(is === 'looking', signal);
      if (signal.aborted) return undefined;
      const isDone = is === 'deleting' && result.failed.length === 0;
      setStep({ is: isDone ? 'deleted' : 'preview', result });
      return isDone ? result : undefined;
    } catch (failure) {
      if (!signal.aborted) setError(failure);
      return undefined;
    }
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    void attempt('looking', stop.signal);
    return () => stop.abort();
  }, [attempt]);
  const remove = async () => {
    const done = await attempt('deleting', new AbortController().signal);
    if (done !== undefined) onChanged();
  };
  const isBusy = error === undefined && (step.is === 'looking' || step.is === 'deleting');
  const isRefused = step.is === 'preview' && step.result.failed.length > 0;
  return (
    <Dialog title={t('title', { name })} isOpen onClose={step.is === 'deleting' && isBusy ? undefined : onClose}>
      {error === undefined ? null : (
        <ErrorPanel error={error} onRetry={() => void attempt('looking', new AbortController().signal)} />
      )}
      {isBusy ? <Progress label={t(step.is === 'looking' ? 'looking' : 'deleting')} share={undefined} /> : null}
      {step.is === 'deleted' ? null : children}
      {step.is !== 'preview' ? null : isRefused ? (
        <Notice tone="bad" title={t('refused')}>
          <FailedRows failed={step.result.failed.map((row) => ({ ...row, key: row.key ?? name }))} />
        </Notice>
      ) : (
        <Changes jobId={step.result.jobIds[0] ?? ''} isOfDefinitions={isOfDefinitions} />
      )}
      {step.is === 'deleted' ? (
        <Deleted {...{ name, isOfDefinitions }} result={step.result} onUndone={onChanged} />
      ) : null}
      <DialogEnd
        out={t(step.is === 'deleted' ? 'close' : 'keep')}
        isWriting={step.is === 'deleting' && isBusy}
        onClose={onClose}
      >
        {step.is === 'preview' && !isRefused ? (
          <Button kind="danger" onPress={() => void remove()}>
            {t('delete')}
          </Button>
        ) : null}
      </DialogEnd>
    </Dialog>
  );
}

interface DeletedProps {
  readonly name: string;
  readonly isOfDefinitions: boolean;
  readonly result: BulkResult;
  readonly onUndone: () => void;
}

function Deleted({ name, isOfDefinitions, result, onUndone }: DeletedProps) {
  const t = useText();
  const { stage } = usePresent();
  const jobId = result.jobIds[0] ?? '';
  const waits = result.awaitingApproval.length > 0;
  return (
    <>
      <Notice tone={waits ? 'warn' : 'good'} title={waits ? t('waits') : t('deleted', { name })}>
        <p>
          <Link to="/$stage/imports/$jobId" params={{ stage: stage.name, jobId }}>
            {t('job')}
          </Link>
        </p>
      </Notice>
      {waits ? null : <UndoWritten {...{ jobId, isOfDefinitions, onUndone }} />}
    </>
  );
}
