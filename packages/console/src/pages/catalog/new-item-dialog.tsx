/** Creates one item: its SKU, its category, and the values that this category wants; what the API would say is said before. */
import type { Attribute, BulkResult } from '@longshore/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { RadioCards } from '../../components/radio-cards.js';
import { TextInput } from '../../components/text-input.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { CategoryPick, pathOf, useCategory } from './category-pick.js';
import { useHasCategories } from './category-tree.js';
import { useColumnText } from './columns.js';
import type { Draft } from './drafts.js';
import { FailedRows } from './failed-rows.js';
import { useCategoryAttributes } from './item-facts.js';
import { UndoWritten } from './undo-written.js';
import type { Definitions } from './use-attributes.js';
import { isEditable, ValueField } from './value-field.js';
import { useValues } from './values.js';

const useText = textsOf('new-item-dialog', {
  title: { en: 'New item', de: 'Neuer Artikel' },
  sku: { en: 'SKU', de: 'SKU' },
  what: { en: 'What it is', de: 'Was es ist' },
  setHelp: { en: 'Contains other items', de: 'Enthält andere Artikel' },
  category: { en: 'Category', de: 'Kategorie' },
  search: { en: 'Search a category', de: 'Kategorie suchen' },
  chosen: { en: 'It is put into {path}.', de: 'Er kommt in {path}.' },
  noCategories: {
    en: 'Every item belongs to a category: create one first.',
    de: 'Jeder Artikel gehört in eine Kategorie: Legen Sie zuerst eine an.',
  },
  toCategories: { en: 'Go to the categories', de: 'Zu den Kategorien' },
  values: { en: 'Values', de: 'Werte' },
  mandatory: { en: '{name} (mandatory)', de: '{name} (Pflicht)' },
  others: {
    en: 'The other values, and where else it belongs, are typed on the page of the item.',
    de: 'Die weiteren Werte, und wohin er noch gehört, tragen Sie auf der Seite des Artikels ein.',
  },
  create: { en: 'Create', de: 'Anlegen' },
  check: { en: 'Only check', de: 'Nur prüfen' },
  close: { en: 'Close', de: 'Schließen' },
  fine: { en: 'This would be accepted', de: 'Das würde angenommen' },
  waits: { en: 'The new item waits for an approval', de: 'Der neue Artikel wartet auf eine Freigabe' },
  created: { en: '“{sku}” is created', de: '„{sku}“ ist angelegt' },
  open: { en: 'Open it', de: 'Öffnen' },
  wrong: { en: 'One of the values is not a number', de: 'Einer der Werte ist keine Zahl' },
});

interface Typing {
  readonly type: 'ITEM' | 'BUNDLE';
  readonly sku: string;
  readonly nodeId: number | null;
  /** By the names of attributes. */
  readonly drafts: Readonly<Record<string, Draft>>;
}

/** An item that is not there has nothing before. */
const NOTHING: Typing = { type: 'ITEM', sku: '', nodeId: null, drafts: {} };

interface NewItemDialogProps {
  readonly definitions: Definitions;
  /** @param sku of the item that is created; undefined: it was taken back */
  readonly onWritten: (sku: string | undefined) => void;
  readonly onClose: () => void;
}

interface Result {
  readonly is: 'fine' | 'waits' | 'created';
  readonly jobId: string;
}

export function NewItemDialog({ definitions, onWritten, onClose }: NewItemDialogProps) {
  const t = useText();
  const c = useColumnText();
  const api = useApi();
  const typed = useTyped<Typing>('item.new', NOTHING);
  const { type, sku: typedSku, nodeId, drafts } = typed.values;
  // As the API writes it: its item is found by this one.
  const sku = typedSku.trim();
  const asked = useAsked(nodeId, definitions);
  // What was typed for another category stays, in case that one is chosen again, and is not sent.
  const sent = (asked ?? []).flatMap(({ attribute: { name } }) => {
    const draft = drafts[name];
    return draft === undefined ? [] : [[name, draft.value] as const];
  });
  const [result, setResult] = useState<Result>();
  const [failed, setFailed] = useState<BulkResult['failed']>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isWrong = sent.some(([, value]) => value === undefined);
  const isReady = sku !== '' && nodeId !== null && asked !== undefined && !isWrong && !isBusy;
  const send = async (dryRun: boolean) => {
    if (nodeId === null) return;
    setBusy(true);
    setError(undefined);
    setResult(undefined);
    setFailed([]);
    const attributes = Object.fromEntries(
      sent.map(([name, value]) => [name, value as string | number | boolean | null]),
    );
    try {
      const written = await api.bulk('insertItems', [{ sku, type, nodeId, attributes }], { dryRun });
      setFailed(written.failed);
      if (written.failed.length > 0) return;
      const waits = written.awaitingApproval.length > 0;
      setResult({ is: dryRun ? 'fine' : waits ? 'waits' : 'created', jobId: written.jobIds[0] ?? '' });
      if (dryRun) return;
      typed.forget();
      if (!waits) onWritten(sku);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const isOver = result?.is === 'created' || result?.is === 'waits';
  return (
    <Dialog title={t('title')} isOpen onClose={isBusy ? undefined : onClose}>
      {isOver ? null : (
        <>
          <TypedNote typed={typed} />
          <RadioCards
            label={t('what')}
            value={type}
            choices={[
              { value: 'ITEM', label: c('ITEM') },
              { value: 'BUNDLE', label: c('BUNDLE'), help: t('setHelp') },
            ]}
            onChange={(next) => typed.set({ type: next === 'BUNDLE' ? 'BUNDLE' : 'ITEM' })}
          />
          <TextInput label={t('sku')} value={typedSku} onChange={(next) => typed.set({ sku: next })} />
          <Place nodeId={nodeId} onChoose={(next) => typed.set({ nodeId: next })} />
          <Values
            {...{ sku, drafts, asked }}
            onChange={(name, draft) => {
              const { [name]: _, ...others } = drafts;
              typed.set({ drafts: draft === undefined ? others : { ...others, [name]: draft } });
            }}
          />
          {isWrong ? <p className="bad-number">{t('wrong')}</p> : null}
        </>
      )}
      {error === undefined ? null : <ErrorPanel error={error} />}
      <FailedRows failed={failed} />
      {result === undefined ? null : (
        <Outcome sku={sku} result={result} onUndone={() => onWritten(undefined)} onClose={onClose} />
      )}
      <div className="actions">
        {isOver ? null : (
          <>
            <Button kind="primary" isPending={isBusy} isDisabled={!isReady} onPress={() => void send(false)}>
              {t('create')}
            </Button>
            <Button isDisabled={!isReady} onPress={() => void send(true)}>
              {t('check')}
            </Button>
          </>
        )}
        <Button isDisabled={isBusy} onPress={typed.forgetAnd(onClose)}>
          {t('close')}
        </Button>
      </div>
    </Dialog>
  );
}

interface PlaceProps {
  readonly nodeId: number | null;
  readonly onChoose: (nodeId: number) => void;
}

/** The category, chosen by a part of its name. */
function Place({ nodeId, onChoose }: PlaceProps) {
  const t = useText();
  const { stage } = usePresent();
  const hasCategories = useHasCategories();
  const category = useCategory(nodeId);
  if (hasCategories === false) {
    return (
      <Notice tone="warn" title={t('noCategories')}>
        <p>
          <Link to="/$stage/categories" params={{ stage: stage.name }}>
            {t('toCategories')}
          </Link>
        </p>
      </Notice>
    );
  }
  return (
    <div className="form">
      <CategoryPick
        label={t('category')}
        placeholder={t('search')}
        type="PRIMARY"
        onChoose={(chosen) => onChoose(chosen.nodeId)}
      />
      {category === undefined ? null : <p role="status">{t('chosen', { path: pathOf(category) })}</p>}
    </div>
  );
}

interface ValuesProps {
  readonly sku: string;
  readonly drafts: Typing['drafts'];
  /** Undefined: they are not known yet. */
  readonly asked: readonly AskedValue[] | undefined;
  readonly onChange: (name: string, draft: Draft | undefined) => void;
}

interface AskedValue {
  readonly attribute: Attribute;
  readonly isMandatory: boolean;
}

/** The values that the item should have from the beginning: its title, and what is mandatory or required. */
function useAsked(nodeId: number | null, { roles, byName }: Definitions): readonly AskedValue[] | undefined {
  const { data } = useCategoryAttributes(nodeId);
  return data?.flatMap(({ name, required }) => {
    const attribute = byName.get(name);
    if (attribute === undefined || name === roles.sku || !isEditable(attribute, false)) return [];
    const isMandatory = required || attribute.validation.required === true;
    return isMandatory || name === roles.title ? [{ attribute, isMandatory }] : [];
  });
}

function Values({ sku, drafts, asked, onChange }: ValuesProps) {
  const t = useText();
  const values = useValues();
  if (asked === undefined) return null;
  return (
    <div className="form">
      {asked.length === 0 ? null : <h3>{t('values')}</h3>}
      {asked.map(({ attribute, isMandatory }) => (
        <div key={attribute.id} className="field">
          <span aria-hidden="true">
            <bdi>{isMandatory ? t('mandatory', { name: attribute.name }) : attribute.name}</bdi>
          </span>
          <ValueField
            sku={sku}
            attribute={attribute}
            value={undefined}
            draft={drafts[attribute.name]}
            values={values}
            isRoomy
            onChange={(draft) => onChange(attribute.name, draft)}
          />
        </div>
      ))}
      <p className="note">{t('others')}</p>
    </div>
  );
}

interface OutcomeProps {
  readonly sku: string;
  readonly result: Result;
  readonly onUndone: () => void;
  readonly onClose: () => void;
}

function Outcome({ sku, result: { is, jobId }, onUndone, onClose }: OutcomeProps) {
  const t = useText();
  const { stage } = usePresent();
  if (is === 'fine') return <Notice tone="good" title={t('fine')} />;
  if (is === 'waits') return <Notice tone="warn" title={t('waits')} />;
  return (
    <>
      <Notice tone="good" title={t('created', { sku })}>
        <p>
          <Link to="/$stage/items/item" params={{ stage: stage.name }} search={{ sku }} onClick={onClose}>
            {t('open')}
          </Link>
        </p>
      </Notice>
      <UndoWritten jobId={jobId} onUndone={onUndone} />
    </>
  );
}
