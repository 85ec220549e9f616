/** Shows what would change, writes it as one job, and says what became of each row. */
import type { FailedRow } from '@longshore/client';
import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice, Progress } from '../../components/content.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { Changes } from '../imports/changes.js';
import { Conflicts } from './conflicts.js';
import { DialogEnd } from './dialog-end.js';
import { type DraftStore, type Drafts, useDrafts } from './drafts.js';
import { FailedRows } from './failed-rows.js';
import { type Conflict, findConflicts, findOverwritten, send, type Written } from './save-steps.js';
import { UndoWritten } from './undo-written.js';
import { useDefinitions } from './use-attributes.js';
import { useValues } from './values.js';

const useText = textsOf('save-dialog', {
  title: { en: 'What would change', de: 'Was sich ändern würde' },
  looking: { en: 'Looking at what would change', de: 'Es wird nachgesehen, was sich ändern würde' },
  writing: { en: 'The changes are written', de: 'Die Änderungen werden geschrieben' },
  write: { en: 'Write these changes', de: 'Diese Änderungen schreiben' },
  goOn: { en: 'Go on', de: 'Weiter' },
  back: { en: 'Back', de: 'Zurück' },
  close: { en: 'Close', de: 'Schließen' },
  written: {
    en: '{count, plural, =0 {No item was changed} one {# item was changed} other {# items were changed}}',
    de: '{count, plural, =0 {Kein Artikel wurde geändert} one {# Artikel wurde geändert} other {# Artikel wurden geändert}}',
  },
  waits: { en: 'The changes wait for an approval', de: 'Die Änderungen warten auf eine Freigabe' },
  waitsHelp: {
    en: 'Nothing is written before somebody approves it.',
    de: 'Es wird nichts geschrieben, bevor jemand sie freigibt.',
  },
  overwritten: {
    en: '{count, plural, one {One value was changed by somebody else in the last moment, and yours is written over it.} other {# values were changed by somebody else in the last moment, and yours are written over them.}}',
    de: '{count, plural, one {Einen Wert hat jemand anderes im letzten Moment geändert; Ihrer steht jetzt darüber.} other {# Werte hat jemand anderes im letzten Moment geändert; Ihre stehen jetzt darüber.}}',
  },
  stays: {
    en: 'What failed is still on the page: correct it there.',
    de: 'Was fehlschlug, ist noch auf der Seite: Korrigieren Sie es dort.',
  },
  job: { en: 'Show the whole result', de: 'Ganzes Ergebnis ansehen' },
});

type Step =
  | { readonly is: 'looking' | 'writing' }
  | { readonly is: 'conflicts'; readonly conflicts: readonly Conflict[] }
  | { readonly is: 'preview'; readonly trial: Written }
  | { readonly is: 'written'; readonly written: Written; readonly count: number; readonly over: readonly Conflict[] };

interface SaveDialogProps {
  readonly onClose: () => void;
  readonly onWritten: (skus: readonly string[]) => void;
  /** What is written, where it is not what was typed on the pages of items. */
  readonly store?: DraftStore;
}

export function SaveDialog({ onClose, onWritten, store: own }: SaveDialogProps) {
  const t = useText();
  const api = useApi();
  const typed = useDrafts();
  const store = own ?? typed;
  const values = useValues();
  const { data: definitions } = useDefinitions();
  const [step, setStep] = useState<Step>({ is: 'looking' });
  const [error, setError] = useState<unknown>();
  const stop = useRef(new AbortController());
  const drafts = useRef(store.drafts);
  drafts.current = store.drafts;

  const attempt = useCallback(async (what: (signal: AbortSignal) => Promise<void>) => {
    setError(undefined);
    stop.current = new AbortController();
    const { signal } = stop.current;
    await what(signal).catch((failure: unknown) => signal.aborted || setError(failure));
  }, []);

  const look = useCallback(
    () =>
      attempt(async (signal) => {
        setStep({ is: 'looking' });
        const conflicts = await findConflicts(api, drafts.current, signal);
        if (conflicts.length > 0) return setStep({ is: 'conflicts', conflicts });
        setStep({ is: 'preview', trial: await send(api, drafts.current, true, signal) });
      }),
    [api, attempt],
  );

  const write = () =>
    attempt(async (signal) => {
      setStep({ is: 'writing' });
      const sent: Drafts = drafts.current;
      const conflicts = await findConflicts(api, sent, signal);
      if (conflicts.length > 0) return setStep({ is: 'conflicts', conflicts });
      const written = await send(api, sent, false, signal);
      const failed = new Set(written.failed.map(({ key }) => key));
      const done = Object.keys(sent).filter((sku) => !failed.has(sku));
      store.forget(done);
      if (!written.waits) onWritten(done);
      // That it is written is known; a comparison that cannot be made takes nothing of this back.
      const over = written.waits ? [] : await findOverwritten(api, written.jobId, sent, signal).catch(() => []);
      setStep({ is: 'written', written, count: done.length, over });
    });

  useEffect(() => {
    void look();
    return () => stop.current.abort();
  }, [look]);

  const decide = (decided: Conflict) => {
    if (step.is !== 'conflicts') return;
    setStep({ ...step, conflicts: step.conflicts.filter((one) => one !== decided) });
  };
  const isBusy = error === undefined && (step.is === 'looking' || step.is === 'writing');
  return (
    <Dialog title={t('title')} isOpen isWide onClose={step.is === 'writing' ? undefined : onClose}>
      {error === undefined ? null : <ErrorPanel error={error} onRetry={() => void look()} />}
      {isBusy ? <Progress label={t(step.is === 'writing' ? 'writing' : 'looking')} share={undefined} /> : null}
      {step.is === 'conflicts' && step.conflicts.length > 0 ? (
        <Conflicts
          conflicts={step.conflicts}
          attributeOf={(name) => definitions?.byName.get(name)}
          values={values}
          store={store}
          onDecided={decide}
        />
      ) : null}
      {step.is === 'preview' ? (
        <>
          <FailedRows failed={step.trial.failed} isTrial />
          <Changes jobId={step.trial.jobId} />
        </>
      ) : null}
      {step.is === 'written' ? (
        <Result count={step.count} over={step.over} written={step.written} onUndone={onWritten} />
      ) : null}
      <DialogEnd
        out={t(step.is === 'written' ? 'close' : 'back')}
        isWriting={step.is === 'writing' && isBusy}
        onClose={onClose}
      >
        {step.is === 'preview' ? (
          <Button
            kind="primary"
            icon="check"
            isDisabled={step.trial.failed.length >= Object.keys(store.drafts).length}
            onPress={() => void write()}
          >
            {t('write')}
          </Button>
        ) : null}
        {step.is === 'conflicts' ? (
          <Button kind="primary" isDisabled={step.conflicts.length > 0} onPress={() => void look()}>
            {t('goOn')}
          </Button>
        ) : null}
      </DialogEnd>
    </Dialog>
  );
}

interface ResultProps {
  readonly count: number;
  readonly written: Written;
  readonly over: readonly Conflict[];
  readonly onUndone: (skus: readonly string[]) => void;
}

function Result({ count, written, over, onUndone }: ResultProps) {
  const t = useText();
  const { stage } = usePresent();
  const { jobId, failed, waits }: { jobId: string; failed: readonly FailedRow[]; waits: boolean } = written;
  const tone = waits || failed.length > 0 || over.length > 0 ? 'warn' : 'good';
  return (
    <>
      <Notice tone={tone} title={waits ? t('waits') : t('written', { count })}>
        {waits ? <p>{t('waitsHelp')}</p> : null}
        {over.length > 0 ? <p>{t('overwritten', { count: over.length })}</p> : null}
        {failed.length > 0 ? <p>{t('stays')}</p> : null}
        <p>
          <Link to="/$stage/imports/$jobId" params={{ stage: stage.name, jobId }}>
            {t('job')}
          </Link>
        </p>
      </Notice>
      <FailedRows failed={failed} />
      {waits || count === 0 ? null : <UndoWritten jobId={jobId} onUndone={onUndone} />}
    </>
  );
}
