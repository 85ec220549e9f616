/** A text in a form: it has a label that is seen, and says what is wrong with it. */
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField, type TextFieldProps } from 'react-aria-components/TextField';

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
