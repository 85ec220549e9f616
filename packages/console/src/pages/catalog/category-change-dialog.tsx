/** Says what a change of a category would do, and does it when that is meant. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice, Progress } from '../../components/content.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useApi } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { Changes } from '../imports/changes.js';
import { type CategoryChange, type ChangeResult, renameBack, tryChange, writeChange } from './category-change.js';
import type { Done } from './category-done.js';
import { inWords, useCategoryNames, useWay } from './category-tree.js';
import { DialogEnd } from './dialog-end.js';
import { FailedRows } from './failed-rows.js';

const useText = textsOf('category-change', {
  create: { en: 'Create “{name}”?', de: '„{name}“ anlegen?' },
  rename: { en: 'Rename “{name}”?', de: '„{name}“ umbenennen?' },
  state: { en: 'Change “{name}”?', de: '„{name}“ ändern?' },
  looking: { en: 'Looking at what would change', de: 'Es wird nachgesehen, was sich ändern würde' },
  writing: { en: 'The change is written', de: 'Die Änderung wird geschrieben' },
  place: { en: 'Place', de: 'Ort' },
  now: { en: 'Now', de: 'Jetzt' },
  afterwards: { en: 'Then', de: 'Dann' },
  stays: {
    en: 'Its items, its attributes and its number stay.',
    de: 'Ihre Artikel, ihre Attribute und ihre Nummer bleiben.',
  },
  below: {
    en: '{count, plural, =0 {No category is below it.} one {# category below it gets another path.} other {# categories below it get another path.}}',
    de: '{count, plural, =0 {Darunter ist keine Kategorie.} one {# Kategorie darunter bekommt einen anderen Pfad.} other {# Kategorien darunter bekommen einen anderen Pfad.}}',
  },
  files: {
    en: 'Files name a category by its path: with the present one they do not find it any more.',
    de: 'Dateien nennen eine Kategorie mit ihrem Pfad: Mit dem jetzigen finden sie diese nicht mehr.',
  },
  exists: {
    en: 'There is already a category called “{name}” here',
    de: 'Hier gibt es schon eine Kategorie „{name}“',
  },
  existsHelp: { en: 'Choose another name.', de: 'Wählen Sie einen anderen Namen.' },
  same: { en: 'It is so already', de: 'Das ist schon so' },
  sameHelp: { en: 'Somebody else has changed it meanwhile.', de: 'Jemand anderes hat es inzwischen geändert.' },
  doCreate: { en: 'Create', de: 'Anlegen' },
  doRename: { en: 'Rename', de: 'Umbenennen' },
  doState: { en: 'Write this change', de: 'Diese Änderung schreiben' },
  back: { en: 'Back', de: 'Zurück' },
  created: { en: '“{name}” is created', de: '„{name}“ ist angelegt' },
  renamed: { en: '“{before}” is called “{name}” now', de: '„{before}“ heißt jetzt „{name}“' },
  active: { en: '“{name}” is active', de: '„{name}“ ist aktiv' },
  inactive: { en: '“{name}” is not active any more', de: '„{name}“ ist nicht mehr aktiv' },
  ordered: { en: '“{name}” has the order number {order}', de: '„{name}“ hat die Ordnungszahl {order}' },
});

interface CategoryChangeDialogProps {
  readonly change: CategoryChange;
  /** The job that has done it; undefined: it was a request. */
  readonly onDone: (done: Done, jobId: string | undefined) => Promise<void>;
  readonly onClose: () => void;
}

export function CategoryChangeDialog({ change: given, onDone, onClose }: CategoryChangeDialogProps) {
  const t = useText();
  const api = useApi();
  const title = useTitle();
  // What is asked here stays what it is, though the page below may be loaded anew.
  const [change] = useState(given);
  const [step, setStep] = useState<'looking' | 'preview' | 'writing'>('looking');
  const [result, setResult] = useState<ChangeResult>();
  const [error, setError] = useState<unknown>();
  const isOpen = useRef(true);
  const attempt = useCallback(async (what: () => Promise<void>) => {
    setError(undefined);
    try {
      await what();
    } catch (failure) {
      if (!isOpen.current) return;
      setError(failure);
      setStep('preview');
    }
  }, []);
  const look = useCallback(
    () =>
      attempt(async () => {
        setStep('looking');
        const tried = await tryChange(api, change);
        if (!isOpen.current) return;
        setResult(tried);
        setStep('preview');
      }),
    [api, attempt, change],
  );
  useEffect(() => {
    isOpen.current = true;
    void look();
    return () => {
      isOpen.current = false;
    };
  }, [look]);
  const write = () =>
    attempt(async () => {
      setStep('writing');
      const written = await writeChange(api, change);
      if (written.failed.length > 0 || written.unchanged !== undefined) {
        setResult(written);
        setStep('preview');
        return;
      }
      await onDone(doneOf(written), written.jobId);
      onClose();
    });
  const doneOf = ({ jobId, waits, before = '' }: ChangeResult): Done => {
    if (change.what !== 'rename') {
      return { title: waits ? undefined : title(change, before), undo: { jobId: jobId ?? '' } };
    }
    const { nodeId } = change.node;
    return { title: title(change, before), undo: { act: () => renameBack(api, nodeId, change.name, before) } };
  };
  const { name } = change.what === 'state' ? change.node : change;
  const heading = change.what === 'rename' ? change.node.name : name;
  const mayWrite = step === 'preview' && result?.failed.length === 0 && result.unchanged === undefined;
  return (
    <Dialog
      title={t(change.what, { name: heading })}
      isOpen
      isWide={change.what !== 'rename'}
      onClose={step === 'writing' ? undefined : onClose}
    >
      {error === undefined ? null : <ErrorPanel error={error} onRetry={() => void look()} />}
      {step === 'preview' ? null : <Progress label={t(step)} share={undefined} />}
      {result === undefined ? null : (
        <>
          {result.unchanged === undefined ? null : (
            <Notice tone="warn" title={t(result.unchanged, { name })}>
              <p>{t(`${result.unchanged}Help`)}</p>
            </Notice>
          )}
          <FailedRows failed={result.failed} />
          {result.failed.length > 0 || result.unchanged !== undefined ? null : change.what === 'rename' ? (
            <Renaming nodeId={change.node.nodeId} name={change.name} />
          ) : (
            <Changing change={change} jobId={result.jobId ?? ''} />
          )}
        </>
      )}
      <DialogEnd out={t('back')} isWriting={step === 'writing'} onClose={onClose}>
        {mayWrite || step === 'writing' ? (
          <Button kind="primary" isPending={step === 'writing'} onPress={() => void write()}>
            {t(change.what === 'create' ? 'doCreate' : change.what === 'rename' ? 'doRename' : 'doState')}
          </Button>
        ) : null}
      </DialogEnd>
    </Dialog>
  );
}

/** What was done, in words. */
function useTitle() {
  const t = useText();
  const format = useFormat();
  return (change: CategoryChange, before: string): string => {
    if (change.what === 'create') return t('created', { name: change.name.trim() });
    if (change.what === 'rename') return t('renamed', { before, name: change.name.trim() });
    if (change.order !== undefined) return t('ordered', { name: before, order: format.number(change.order) });
    return t(change.active === true ? 'active' : 'inactive', { name: before });
  };
}

/** The place of what is changed, and what would be written. */
function Changing({ change, jobId }: { readonly change: CategoryChange; readonly jobId: string }) {
  const t = useText();
  const { pathOf } = useCategoryNames();
  const key = change.what === 'create' ? change.parent : change.node.nodeId;
  const way = useWay(key === undefined ? undefined : String(key));
  return (
    <>
      {way === undefined ? null : (
        <dl className="item-facts">
          <div>
            <dt>{t('place')}</dt>
            <dd>{change.what === 'create' ? inWords([pathOf(way), change.name.trim()]) : pathOf(way)}</dd>
          </div>
        </dl>
      )}
      <Changes jobId={jobId} isOfDefinitions />
    </>
  );
}

/** What a new name does: the API has no trial of it. */
function Renaming({ nodeId, name }: { readonly nodeId: number; readonly name: string }) {
  const t = useText();
  const { pathOf } = useCategoryNames();
  const way = useWay(String(nodeId));
  const above = useWay(way?.node.parent);
  if (way === undefined) return null;
  const renamed = name.trim();
  return (
    <>
      <dl className="item-facts">
        <div>
          <dt>{t('now')}</dt>
          <dd>{pathOf(way)}</dd>
        </div>
        <div>
          <dt>{t('afterwards')}</dt>
          <dd>{inWords(above === undefined ? [renamed] : [pathOf(above), renamed])}</dd>
        </div>
      </dl>
      <ul className="facts">
        <li>{t('stays')}</li>
        <li>{t('below', { count: way.below })}</li>
      </ul>
      <p className="note">{t('files')}</p>
    </>
  );
}
