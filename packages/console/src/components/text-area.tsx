/** A field for texts of several lines, such as JSON. */
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField, type TextFieldProps } from 'react-aria-components/TextField';

interface TextAreaInputProps extends TextFieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly rows?: number;
  /** Figures of one width, and no corrections by the browser. */
  readonly isCode?: boolean;
  /** It is kept nowhere in the browser. */
  readonly isSecret?: boolean;
}

export function TextAreaInput(props: TextAreaInputProps) {
  const { label, help, error, rows = 6, isCode = false, isSecret = false, ...others } = props;
  const secret = isSecret ? { 'data-secret': '', autoComplete: 'off' } : {};
  return (
    <TextField {...others} {...secret} className="field" isInvalid={error !== undefined}>
      <Label>{label}</Label>
      <TextArea
        className={isCode ? 'input area code' : 'input area'}
        rows={rows}
        spellCheck={isCode ? 'false' : 'true'}
      />
      {help === undefined ? null : (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </TextField>
  );
}
