/** Shows an attribute with where it is used, and creates or changes one: first it says what the API would say. */
import type { Attribute, FailedRow, InputOf } from '@longshore/client';
import { useState } from 'react';
import { Label, TextArea, TextField } from 'react-aria-components';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { ChoiceInput, SwitchInput, TextInput } from '../../components/fields.js';
import { useApi, useMay } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TYPES, useTypeText } from './attribute-types.js';
import { AttributeUses } from './attribute-uses.js';
import { FailedRows } from './failed-rows.js';
import { ManyOptions } from './many-options.js';

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
});

type Element = InputOf<'createAttributes'>['body'][number];

/** A field with more lines makes the page stand still. The API accepts no more. */
const MOST_TYPED = 10_000;

interface AttributeDialogProps {
  /** Undefined: a new one. */
  readonly attribute: Attribute | undefined;
  readonly onWritten: () => void;
  readonly onClose: () => void;
}

export function AttributeDialog({ attribute, onWritten, onClose }: AttributeDialogProps) {
  const t = useText();
  const typeText = useTypeText();
  const api = useApi();
  const mayWrite = useMay('catalog:write');
  const { validation = {} } = attribute ?? {};
  const [name, setName] = useState(attribute?.name ?? '');
  const [type, setType] = useState<Attribute['type']>(attribute?.type ?? 'TEXT');
  const [description, setDescription] = useState(attribute?.description ?? '');
  const [options, setOptions] = useState(() =>
    (attribute?.options ?? []).length > MOST_TYPED ? '' : (attribute?.options ?? []).join('\n'),
  );
  const [rules, setRules] = useState({
    required: validation.required === true,
    unique: validation.unique === true,
    inheritable: validation.inheritable === true,
  });
  const [result, setResult] = useState<{ is?: 'fine' | 'written' | 'waits'; failed?: readonly FailedRow[] }>({});
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const { length: count } = attribute?.options ?? [];
  const isTyped = count <= MOST_TYPED;
  const lines = isTyped ? options.split('\n').filter((line) => line.trim() !== '') : [];
  const isNumbers =
    attribute?.optionsType !== undefined && attribute.optionsType !== null && attribute.optionsType !== 'TEXT';
  const element = {
    ...(attribute === undefined ? { action: 'CREATE' } : { action: 'UPDATE', id: attribute.id }),
    ...{ name, type },
    description: description === '' ? null : description,
    ...(type === 'OPTIONS' && isTyped ? { options: isNumbers ? lines.map(Number) : lines } : {}),
    validation: { ...validation, ...rules },
  } as Element;
  const send = async (dryRun: boolean) => {
    setBusy(true);
    setError(undefined);
    setResult({});
    try {
      const { failed, awaitingApproval } = await api.bulk('createAttributes', [element], { dryRun });
      if (failed.length > 0) setResult({ failed });
      else {
        setResult({ is: dryRun ? 'fine' : awaitingApproval.length > 0 ? 'waits' : 'written' });
        if (!dryRun) onWritten();
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={attribute?.name ?? t('new')} isOpen onClose={onClose}>
      <TextInput label={t('name')} value={name} isReadOnly={!mayWrite} onChange={setName} />
      <ChoiceInput
        label={t('type')}
        value={type}
        choices={(mayWrite ? TYPES : [type]).map((id) => ({ id, label: typeText(id) }))}
        onChange={setType}
      />
      <TextInput label={t('description')} value={description} isReadOnly={!mayWrite} onChange={setDescription} />
      {type === 'OPTIONS' && !isTyped ? <ManyOptions options={attribute?.options ?? []} /> : null}
      {type === 'OPTIONS' && isTyped ? (
        <TextField className="field" value={options} isReadOnly={!mayWrite} onChange={setOptions}>
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
              onChange={(isOn) => setRules({ ...rules, [rule]: isOn })}
            />
          ))}
          <SwitchInput
            label={t('inheritable')}
            isOn={rules.inheritable}
            onChange={(inheritable) => setRules({ ...rules, inheritable })}
          />
        </div>
      ) : null}
      {attribute === undefined ? null : <AttributeUses name={attribute.name} />}
      {error === undefined ? null : <ErrorPanel error={error} />}
      {result.is === undefined ? null : <Notice tone={result.is === 'waits' ? 'warn' : 'good'} title={t(result.is)} />}
      <FailedRows failed={result.failed ?? []} />
      <div className="actions">
        {mayWrite && result.is !== 'written' ? (
          <>
            <Button
              kind="primary"
              isPending={isBusy}
              isDisabled={isBusy || name === ''}
              onPress={() => void send(false)}
            >
              {t(attribute === undefined ? 'create' : 'change')}
            </Button>
            <Button isDisabled={isBusy || name === ''} onPress={() => void send(true)}>
              {t('check')}
            </Button>
          </>
        ) : null}
        <Button onPress={onClose}>{t('close')}</Button>
      </div>
    </Dialog>
  );
}
