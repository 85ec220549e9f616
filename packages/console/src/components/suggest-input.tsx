/** A text that is typed, with those offered that are known. */
import { ComboBox } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';

const MOST_OFFERED = 60;

interface SuggestInputProps {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly known: readonly string[];
  readonly onChange: (value: string) => void;
}

export function SuggestInput({ label, help, value, known, onChange }: SuggestInputProps) {
  const part = known.includes(value) ? '' : value.toLowerCase();
  const offered = known.filter((name) => name.toLowerCase().includes(part)).slice(0, MOST_OFFERED);
  return (
    <ComboBox
      className="field pick"
      allowsCustomValue
      inputValue={value}
      items={offered.map((id) => ({ id }))}
      defaultFilter={() => true}
      onInputChange={onChange}
    >
      <Label>{label}</Label>
      <Input className="input" />
      {help === undefined ? null : (
        <Text slot="description" className="help">
          {help}
        </Text>
      )}
      <Popover className="popover">
        {/* Otherwise Tab would replace what is typed by what happens to appear below the pointer. */}
        <ListBox<{ readonly id: string }> className="list-box" shouldFocusOnHover={false}>
          {({ id }) => (
            <ListBoxItem id={id} textValue={id} className="list-item">
              <Text slot="label">
                <bdi>{id}</bdi>
              </Text>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
