/** Asks for a condition on the values of an attribute. */
import type { Attribute } from '@longshore/client';
import { useId } from 'react';
import { Label } from 'react-aria-components/Label';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { Dialog } from '../../components/dialog.js';
import { Suggestions } from '../../components/suggestions.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { AttributePick } from './attribute-pick.js';
import { type Operation, operationsFor, useConditionText } from './condition-text.js';
import type { Condition } from './item-search.js';
import { useValues } from './values.js';

const MOST_LISTED = 200;

const useText = textsOf('condition-dialog', {
  title: { en: 'Add a condition', de: 'Bedingung hinzufügen' },
  attribute: { en: 'Attribute', de: 'Attribut' },
  operation: { en: 'Condition', de: 'Bedingung' },
  value: { en: 'Value', de: 'Wert' },
  from: { en: 'From', de: 'Von' },
  to: { en: 'To', de: 'Bis' },
  list: { en: 'Values, one on each line', de: 'Werte, einer in jeder Zeile' },
  yes: { en: 'yes', de: 'ja' },
  no: { en: 'no', de: 'nein' },
  wrong: { en: 'This is not a number.', de: 'Das ist keine Zahl.' },
  add: { en: 'Add', de: 'Hinzufügen' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
});

interface Typing {
  readonly name?: string;
  readonly chosen: Operation;
  readonly text: string;
  readonly until: string;
}

interface ConditionDialogProps {
  readonly attributes: readonly Attribute[];
  readonly onAdd: (condition: Condition) => void;
  readonly onClose: () => void;
}

export function ConditionDialog({ attributes, onAdd, onClose }: ConditionDialogProps) {
  const t = useText();
  const c = useConditionText();
  const values = useValues();
  const typed = useTyped<Typing>('condition', { chosen: 'EQUALS', text: '', until: '' });
  const { name, chosen, text, until } = typed.values;
  const attribute = attributes.find((one) => one.name === name);
  const operations = attribute === undefined ? [] : operationsFor(attribute);
  const operation = operations.includes(chosen) ? chosen : (operations[0] ?? 'EQUALS');
  const condition = attribute === undefined ? undefined : read(attribute, operation, [text, until], values);
  const isWrong = attribute !== undefined && text !== '' && condition === undefined && operation !== 'RANGE';
  const isDate = attribute?.type === 'DATETIME';
  const options = attribute?.type === 'BOOLEAN' ? ['true', 'false'] : (attribute?.options ?? []);
  const suggested = useId();
  const isListed = operation === 'EQUALS' && options.length > 0 && options.length <= MOST_LISTED;
  return (
    <Dialog title={t('title')} isOpen onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (condition === undefined) return;
          typed.forget();
          onAdd(condition);
        }}
      >
        <TypedNote typed={typed} />
        <AttributePick
          label={t('attribute')}
          attributes={attributes}
          chosen={name}
          onChoose={(next) => typed.set({ name: next, text: '', until: '' })}
        />
        {attribute === undefined ? null : (
          <ChoiceInput
            label={t('operation')}
            value={operation}
            choices={operations.map((id) => ({ id, label: c(id) }))}
            onChange={(next) => typed.set({ chosen: next })}
          />
        )}
        {attribute === undefined || operation === 'EXISTS' || operation === 'MISSING' ? null : isListed ? (
          <ChoiceInput
            label={t('value')}
            value={text}
            choices={options.map((id) => ({
              id,
              label: attribute.type === 'BOOLEAN' ? t(id === 'true' ? 'yes' : 'no') : values.show(attribute, id),
            }))}
            onChange={(next) => typed.set({ text: next })}
          />
        ) : operation === 'IN' || operation === 'NOT_IN' ? (
          <TextField className="field" value={text} onChange={(next) => typed.set({ text: next })}>
            <Label>{t('list')}</Label>
            <TextArea className="input" rows={5} />
          </TextField>
        ) : (
          <TextInput
            label={t(operation === 'RANGE' ? 'from' : 'value')}
            type={isDate ? 'date' : 'text'}
            value={text}
            onChange={(next) => typed.set({ text: next })}
            error={isWrong ? t('wrong') : undefined}
            list={options.length > 0 ? suggested : undefined}
          />
        )}
        {isListed || attribute?.options == null ? null : (
          <Suggestions id={suggested} values={options.map((id) => values.edit(attribute, id))} text={text} />
        )}
        {operation === 'RANGE' ? (
          <TextInput
            label={t('to')}
            type={isDate ? 'date' : 'text'}
            value={until}
            onChange={(next) => typed.set({ until: next })}
          />
        ) : null}
        <div className="actions">
          <Button kind="primary" type="submit" isDisabled={condition === undefined}>
            {t('add')}
          </Button>
          <Button onPress={typed.forgetAnd(onClose)}>{t('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** @returns undefined while something is missing or wrong */
function read(
  attribute: Attribute,
  operation: Operation,
  [text, until]: readonly [string, string],
  values: ReturnType<typeof useValues>,
): Condition | undefined {
  const { name } = attribute;
  if (operation === 'EXISTS' || operation === 'MISSING') return { name, op: 'EXISTS', value: operation === 'EXISTS' };
  const parse = (one: string) => (one === '' ? undefined : values.parse(attribute, one)?.value);
  if (operation === 'RANGE') {
    const [fromValue, toValue] = [parse(text), parse(until)];
    return fromValue === undefined || toValue === undefined ? undefined : { name, op: 'RANGE', fromValue, toValue };
  }
  if (operation === 'IN' || operation === 'NOT_IN') {
    const given = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parse(line.trim())]));
    return given.length === 0 || given.includes(undefined) ? undefined : { name, op: operation, value: given };
  }
  const value = parse(text);
  return value === undefined ? undefined : { name, op: operation, value };
}
