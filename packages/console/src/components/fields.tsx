/** Fields of forms: each has a label that is seen, and says what is wrong with it. */
import type { ReactNode } from 'react';
import {
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Radio,
  RadioGroup,
  Select,
  SelectValue,
  Switch,
  Text,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';
import { Icon } from './icon.js';

interface TextInputProps extends TextFieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  /** The id of a list of what may be typed. */
  readonly list?: string | undefined;
  /** It is kept nowhere in the browser. */
  readonly isSecret?: boolean;
}

export function TextInput({ label, help, error, list, isSecret = false, ...others }: TextInputProps) {
  const secret = isSecret ? { 'data-secret': '', autoComplete: 'off' } : {};
  return (
    <TextField {...others} {...secret} className="field" validationBehavior="aria" isInvalid={error !== undefined}>
      <Label>{label}</Label>
      <Input className="input" {...(list === undefined ? {} : { list, autoComplete: 'off' })} />
      {help === undefined ? null : (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </TextField>
  );
}

interface Choice<K extends string> {
  readonly id: K;
  readonly label: string;
  /** Shown beside the label. */
  readonly note?: ReactNode;
}

interface ChoiceInputProps<K extends string> {
  readonly label: string;
  readonly value: K;
  readonly choices: readonly Choice<K>[];
  readonly onChange: (value: K) => void;
  readonly hidesLabel?: boolean;
  readonly className?: string;
}

/** One of a list that opens. */
export function ChoiceInput<K extends string>(props: ChoiceInputProps<K>) {
  const { label, value, choices, onChange, hidesLabel = false, className = '' } = props;
  return (
    <Select
      className={`field choice ${className}`}
      value={value}
      onChange={(key) => onChange(key as K)}
      {...(hidesLabel ? { 'aria-label': label } : {})}
    >
      {hidesLabel ? null : <Label>{label}</Label>}
      <Button className="input choice-button">
        <SelectValue />
        <Icon name="chevron" />
      </Button>
      <Popover className="popover">
        <ListBox className="list-box">
          {choices.map(({ id, label: text, note }) => (
            <ListBoxItem key={id} id={id} textValue={text} className="list-item">
              <Text slot="label">{text}</Text>
              {note}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}

interface RadioCardsProps {
  readonly label: string;
  readonly value: string | null;
  readonly choices: readonly { readonly value: string; readonly label: string; readonly help?: string | undefined }[];
  readonly onChange: (value: string) => void;
}

/** One of a few that are all seen. */
export function RadioCards({ label, value, choices, onChange }: RadioCardsProps) {
  return (
    <RadioGroup className="radio-group" value={value} onChange={onChange}>
      <Label className="radio-question">{label}</Label>
      <div className="radio-cards">
        {choices.map((choice) => (
          <Radio key={choice.value} value={choice.value} className="radio-card">
            <span className="radio-mark" aria-hidden="true" />
            <span className="radio-text">
              <span className="radio-label">{choice.label}</span>
              {choice.help === undefined ? null : <span className="radio-help">{choice.help}</span>}
            </span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}

interface SwitchInputProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function SwitchInput({ label, help, isOn, onChange }: SwitchInputProps) {
  return (
    <Switch className="switch" isSelected={isOn} onChange={onChange}>
      <span className="switch-track" aria-hidden="true">
        <span className="switch-thumb" />
      </span>
      <span className="switch-text">
        <span>{label}</span>
        {help === undefined ? null : <span className="help">{help}</span>}
      </span>
    </Switch>
  );
}
