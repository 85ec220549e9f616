/** Says what was done with a category, and takes it back. */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { textsOf } from '../../texts/texts.js';
import { UndoWritten } from './undo-written.js';

const useText = textsOf('category-done', {
  undo: { en: 'Undo', de: 'Rückgängig machen' },
  kept: {
    en: 'Somebody else has changed it since: it stays as it is now',
    de: 'Jemand anderes hat sie seitdem geändert: Sie bleibt, wie sie jetzt ist',
  },
  waits: { en: 'The change waits for an approval', de: 'Die Änderung wartet auf eine Freigabe' },
  waitsHelp: {
    en: 'Nothing is written before somebody approves it.',
    de: 'Es wird nichts geschrieben, bevor jemand sie freigibt.',
  },
});

/** What was done, as it is taken back. */
export interface Done {
  /** Undefined: nothing yet, because it waits for an approval. */
  readonly title: string | undefined;
  readonly help?: string;
  /** The job that has done it, or a request that takes it back: it answers whether it has. */
  readonly undo: { readonly jobId: string } | { readonly act: () => Promise<boolean> };
}

interface CategoryDoneProps {
  readonly done: Done;
  /** Whether the notice itself is to go. */
  readonly onUndone: (isOver: boolean) => Promise<void>;
}

export function CategoryDone({ done: { title, help, undo }, onUndone }: CategoryDoneProps) {
  const t = useText();
  const { attempt, error, isBusy } = useAttempt();
  const [isKept, setKept] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  // In a narrow window the tree is between what was pressed and this.
  useEffect(() => {
    // A browser may answer with a promise, which is nothing that React may get.
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  if (title === undefined) {
    return (
      <Notice tone="warn" title={t('waits')}>
        <p>{t('waitsHelp')}</p>
      </Notice>
    );
  }
  return (
    <div ref={place} className="form">
      {'jobId' in undo ? (
        <>
          <Notice tone="good" title={title}>
            {help === undefined ? null : <p>{help}</p>}
          </Notice>
          <UndoWritten jobId={undo.jobId} isOfDefinitions onUndone={() => void onUndone(false)} />
        </>
      ) : (
        <>
          {error === undefined ? null : <ErrorPanel error={error} />}
          {isKept ? <Notice tone="warn" title={t('kept')} /> : null}
          <Notice
            tone="good"
            title={title}
            actions={
              <Button
                icon="undo"
                isPending={isBusy}
                onPress={() =>
                  void attempt(async () => {
                    const isUndone = await undo.act();
                    if (!isUndone) setKept(true);
                    await onUndone(isUndone);
                  })
                }
              >
                {t('undo')}
              </Button>
            }
          >
            {help === undefined ? null : <p>{help}</p>}
          </Notice>
        </>
      )}
    </div>
  );
}
