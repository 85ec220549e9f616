/** Some of a list, all of which are seen. */
import { Checkbox } from 'react-aria-components/Checkbox';
import { CheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { Icon } from './icon.js';

interface ChecksProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly choices: readonly { readonly id: string; readonly label: string; readonly help?: string | undefined }[];
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
}

export function Checks({ label, help, choices, value, onChange }: ChecksProps) {
  return (
    <CheckboxGroup className="checks" value={[...value]} onChange={onChange}>
      <Label className="checks-label">{label}</Label>
      {help === undefined ? null : (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      <div className="checks-list">
        {choices.map((choice) => (
          <Checkbox key={choice.id} value={choice.id} className="check">
            <span className="check-mark" aria-hidden="true">
              <Icon name="check" />
            </span>
            <span className="check-text">
              <span>{choice.label}</span>
              {choice.help === undefined ? null : <span className="help">{choice.help}</span>}
            </span>
          </Checkbox>
        ))}
      </div>
    </CheckboxGroup>
  );
}
