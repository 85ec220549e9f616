/** Shows an attribute with where it is used, and creates or changes one: first it says what the API would say. */
import type { Attribute, FailedRow, InputOf } from '@longshore/client';
import { useMemo, useState } from 'react';
import { Label } from 'react-aria-components/Label';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { Notice } from '../../components/content.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { SwitchInput } from '../../components/switch-input.js';
import { TextInput } from '../../components/text-input.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, useMay } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { SavedSince } from '../../typed/saved-since.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { isNoNumber, limitsOf, type OptionsType, type Role, sentLimits, typedLimits } from './attribute-limits.js';
import { AttributeLocales, areWrong, filledLocales, type LocaleName } from './attribute-locales.js';
import { AttributeRules } from './attribute-rules.js';
import { TYPES, useTypeText } from './attribute-types.js';
import { AttributeUses } from './attribute-uses.js';
import { FailedRows } from './failed-rows.js';
import { ManyOptions } from './many-options.js';
import { UndoWritten } from './undo-written.js';
import { useDefinitions } from './use-attributes.js';
import { useValues, type Values } from './values.js';

const useText = textsOf('attribute-dialog', {
  new: { en: 'New attribute', de: 'Neues Attribut' },
  name: { en: 'Name', de: 'Name' },
  type: { en: 'Type', de: 'Typ' },
  description: { en: 'Description', de: 'Beschreibung' },
  options: { en: 'Options, one on each line', de: 'Optionen, eine in jeder Zeile' },
  required: { en: 'Required', de: 'Erforderlich' },
  requiredHelp: { en: 'No item is created without a value.', de: 'Kein Artikel wird ohne einen Wert angelegt.' },
  unique: { en: 'Unique', de: 'Eindeutig' },
  uniqueHelp: { en: 'No two items have the same value.', de: 'Keine zwei Artikel haben denselben Wert.' },
  inheritable: { en: 'Inherited by variants', de: 'Wird an Varianten vererbt' },
  create: { en: 'Create', de: 'Anlegen' },
  change: { en: 'Change', de: 'Ändern' },
  check: { en: 'Only check', de: 'Nur prüfen' },
  close: { en: 'Close', de: 'Schließen' },
  fine: { en: 'This would be accepted', de: 'Das würde angenommen' },
  waits: { en: 'The change waits for an approval', de: 'Die Änderung wartet auf eine Freigabe' },
  written: { en: 'It is written', de: 'Es ist geschrieben' },
  delete: { en: 'Delete', de: 'Löschen' },
});

type Element = InputOf<'createAttributes'>['body'][number];

/** A field with more lines makes the page stand still. The API accepts no more. */
const MOST_TYPED = 10_000;

/** What the form begins with. */
function typedOf(attribute: Attribute | undefined, roles: readonly Role[], values: Values) {
  const { name = '', type = 'TEXT', validation = {}, description, options, locales = [] } = attribute ?? {};
  return {
    ...{ name, type, roles, description: description ?? '' },
    limits: typedLimits(type, validation, values),
    optionsType: 'TEXT' as OptionsType,
    locales: locales as readonly LocaleName[],
    options: (options ?? []).length > MOST_TYPED ? '' : (options ?? []).join('\n'),
    rules: {
      required: validation.required === true,
      unique: validation.unique === true,
      inheritable: validation.inheritable === true,
    },
  };
}

interface AttributeDialogProps {
  /** Undefined: a new one. */
  readonly attribute: Attribute | undefined;
  readonly onWritten: () => void;
  /** Asks whether it is to be deleted. */
  readonly onDelete?: () => void;
  readonly onClose: () => void;
}

export function AttributeDialog({ attribute, ...others }: AttributeDialogProps) {
  const [present, setPresent] = useState(attribute);
  return <AttributeForm key={JSON.stringify(present)} {...others} attribute={present} onPresent={setPresent} />;
}

interface AttributeFormProps extends AttributeDialogProps {
  /** Begins anew with what is saved now. */
  readonly onPresent: (attribute: Attribute) => void;
}

function AttributeForm({ attribute, onWritten, onDelete, onClose, onPresent }: AttributeFormProps) {
  const t = useText();
  const typeText = useTypeText();
  const api = useApi();
  const mayWrite = useMay('catalog:write');
  const { validation = {} } = attribute ?? {};
  const values = useValues();
  const { data: definitions } = useDefinitions();
  const given = useMemo(() => {
    const held = Object.entries(definitions?.roles ?? {}).filter(([, by]) => by === attribute?.name);
    return typedOf(attribute, attribute === undefined ? [] : held.map(([role]) => role as Role), values);
  }, [attribute, definitions, values]);
  // The roles are those of all attributes: who takes one from another changes both.
  const basisOf = (one: Attribute | undefined) => (one === undefined ? '' : JSON.stringify(typedOf(one, [], values)));
  const basis = basisOf(attribute);
  const typed = useTyped(`attribute.${attribute?.id ?? 'new'}`, given, { basis });
  const { name, type, description, options, rules, limits, roles, optionsType, locales } = typed.values;
  /** What somebody else has saved since, which is not to be overwritten unseen. */
  const [newer, setNewer] = useState<Attribute>();
  const [result, setResult] = useState<{
    is?: 'fine' | 'written' | 'waits';
    failed?: readonly FailedRow[];
    jobId?: string;
  }>({});
  const { attempt, error, isBusy } = useAttempt();
  const { length: count } = attribute?.options ?? [];
  const isTyped = count <= MOST_TYPED;
  const lines = isTyped ? options.split('\n').filter((line) => line.trim() !== '') : [];
  const isNew = attribute === undefined || attribute.type !== 'OPTIONS';
  const isNumbers = (isNew ? optionsType : (attribute.optionsType ?? 'TEXT')) !== 'TEXT';
  const isWrong = areWrong(locales) || limitsOf(type).some((limit) => isNoNumber(type, limit, limits[limit], values));
  const hasOtherNames = JSON.stringify(filledLocales(locales)) !== JSON.stringify(filledLocales(given.locales));
  const hasOtherRoles = [...roles].sort().join() !== [...given.roles].sort().join();
  const element = {
    ...(attribute === undefined ? { action: 'CREATE' } : { action: 'UPDATE', id: attribute.id }),
    ...{ name, type },
    description: description === '' ? null : description,
    ...(type === 'OPTIONS' && isTyped ? { options: isNumbers ? lines.map(Number) : lines } : {}),
    ...(type === 'OPTIONS' && isNew && optionsType !== 'TEXT' ? { optionsType } : {}),
    ...(hasOtherNames ? { locales: filledLocales(locales) } : {}),
    ...(hasOtherRoles ? { mapping: roles.length === 0 ? null : roles } : {}),
    validation: { ...validation, ...rules, ...sentLimits(type, limits, validation, values) },
  } as Element;
  const send = (dryRun: boolean, over?: Attribute) =>
    attempt(async () => {
      setResult({});
      setNewer(undefined);
      const [present] = attribute === undefined ? [] : (await api.listAttributes({ ids: [attribute.id] })).data;
      if (present !== undefined && basisOf(present) !== typed.basis && basisOf(present) !== basisOf(over)) {
        setNewer(present);
        return;
      }
      const { failed, awaitingApproval, jobIds } = await api.bulk('createAttributes', [element], { dryRun });
      if (failed.length > 0) setResult({ failed });
      else {
        const is = dryRun ? 'fine' : awaitingApproval.length > 0 ? 'waits' : 'written';
        setResult({ is, jobId: jobIds[0] ?? '' });
        if (!dryRun) {
          typed.forget();
          onWritten();
        }
      }
    });
  return (
    <Dialog title={attribute?.name ?? t('new')} isOpen onClose={onClose}>
      <TypedNote typed={typed} />
      <TextInput label={t('name')} value={name} isReadOnly={!mayWrite} onChange={(next) => typed.set({ name: next })} />
      <ChoiceInput
        label={t('type')}
        value={type}
        choices={(mayWrite ? TYPES : [type]).map((id) => ({ id, label: typeText(id) }))}
        onChange={(next) => typed.set({ type: next })}
      />
      <TextInput
        label={t('description')}
        value={description}
        isReadOnly={!mayWrite}
        onChange={(next) => typed.set({ description: next })}
      />
      <AttributeLocales locales={locales} isReadOnly={!mayWrite} onChange={(next) => typed.set({ locales: next })} />
      {type === 'OPTIONS' && !isTyped ? <ManyOptions options={attribute?.options ?? []} /> : null}
      {type === 'OPTIONS' && isTyped ? (
        <TextField
          className="field"
          value={options}
          isReadOnly={!mayWrite}
          onChange={(next) => typed.set({ options: next })}
        >
          <Label>{t('options')}</Label>
          <TextArea className="input" rows={6} dir="auto" />
        </TextField>
      ) : null}
      {mayWrite ? (
        <div className="form">
          {(['required', 'unique'] as const).map((rule) => (
            <SwitchInput
              key={rule}
              label={t(rule)}
              help={t(`${rule}Help`)}
              isOn={rules[rule]}
              onChange={(isOn) => typed.set({ rules: { ...rules, [rule]: isOn } })}
            />
          ))}
          <SwitchInput
            label={t('inheritable')}
            isOn={rules.inheritable}
            onChange={(inheritable) => typed.set({ rules: { ...rules, inheritable } })}
          />
        </div>
      ) : null}
      {mayWrite ? (
        <AttributeRules
          {...{ type, limits, roles }}
          optionsType={isNew ? optionsType : undefined}
          isWrong={(limit) => isNoNumber(type, limit, limits[limit], values)}
          onLimits={(next) => typed.set({ limits: next })}
          onRoles={(next) => typed.set({ roles: next })}
          onOptionsType={(next) => typed.set({ optionsType: next })}
        />
      ) : null}
      {attribute === undefined ? null : <AttributeUses name={attribute.name} />}
      {error === undefined ? null : <ErrorPanel error={error} />}
      {newer === undefined ? null : (
        <SavedSince
          onKeep={() => void send(false, newer)}
          onTake={() => {
            typed.forget();
            onWritten();
            onPresent(newer);
          }}
        />
      )}
      {result.is === undefined ? null : <Notice tone={result.is === 'waits' ? 'warn' : 'good'} title={t(result.is)} />}
      <FailedRows failed={result.failed ?? []} />
      {result.is === 'written' ? <UndoWritten jobId={result.jobId ?? ''} isOfDefinitions onUndone={onWritten} /> : null}
      <div className="actions">
        {mayWrite && result.is !== 'written' ? (
          <>
            <Button
              kind="primary"
              isPending={isBusy}
              isDisabled={isBusy || isWrong || name === ''}
              onPress={() => void send(false)}
            >
              {t(attribute === undefined ? 'create' : 'change')}
            </Button>
            <Button isDisabled={isBusy || isWrong || name === ''} onPress={() => void send(true)}>
              {t('check')}
            </Button>
          </>
        ) : null}
        {mayWrite && attribute !== undefined && result.is !== 'written' && onDelete !== undefined ? (
          <Button kind="danger" isDisabled={isBusy} onPress={typed.forgetAnd(onDelete)}>
            {t('delete')}
          </Button>
        ) : null}
        <Button onPress={typed.forgetAnd(onClose)}>{t('close')}</Button>
      </div>
    </Dialog>
  );
}
