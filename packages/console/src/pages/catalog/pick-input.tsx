/** One of many, found by typing a part of it. The caller says which are offered. */
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';

export interface Pick {
  readonly id: string;
  readonly label: string;
  readonly note?: string | undefined;
}

interface PickInputProps {
  readonly label: string;
  readonly text: string;
  readonly placeholder?: string;
  readonly offered: readonly Pick[];
  readonly onText: (text: string) => void;
  readonly onPick: (id: string) => void;
}

export function PickInput({ label, text, placeholder = '', offered, onText, onPick }: PickInputProps) {
  return (
    <ComboBox
      className="field pick"
      inputValue={text}
      items={offered}
      // What is offered is chosen by the caller.
      defaultFilter={() => true}
      menuTrigger="focus"
      onInputChange={onText}
      onSelectionChange={(key) => {
        if (key === null) return;
        onPick(String(key));
      }}
    >
      <Label>{label}</Label>
      <Input className="input" placeholder={placeholder} />
      <Popover className="popover">
        <ListBox<Pick> className="list-box">
          {({ id, label: name, note }) => (
            <ListBoxItem id={id} textValue={name} className="list-item">
              <Text slot="label">
                <bdi>{name}</bdi>
              </Text>
              {note === undefined ? null : <span className="small">{note}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
