/** One of many, found by typing a part of it. The caller says which are offered. */
import { ComboBox } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';

export interface Pick {
  readonly id: string;
  readonly label: string;
  /** What is in the field when it was picked; undefined: the label. */
  readonly text?: string;
  readonly note?: string | undefined;
}

interface PickInputProps {
  readonly label: string;
  readonly text: string;
  readonly placeholder?: string;
  readonly offered: readonly Pick[];
  readonly onText: (text: string) => void;
  readonly onPick: (id: string) => void;
  readonly onEnter?: () => void;
  /** The focus leaves it, and what is typed is nothing that was picked. Undefined: it is forgotten. */
  readonly onLeave?: () => void;
  readonly hidesLabel?: boolean;
  /** What the list says while nothing is offered. Undefined: there is no list then. */
  readonly nothing?: string | undefined;
}

export function PickInput(props: PickInputProps) {
  const {
    label,
    text,
    placeholder = '',
    offered,
    onText,
    onPick,
    onEnter,
    onLeave,
    hidesLabel = false,
    nothing,
  } = props;
  return (
    <ComboBox
      className="field pick"
      inputValue={text}
      items={offered}
      // What is offered is chosen by the caller.
      defaultFilter={() => true}
      menuTrigger="focus"
      // Otherwise the list of who picks a second time would open with the next letter only, when there is an answer already.
      allowsEmptyCollection={nothing !== undefined}
      onInputChange={onText}
      // What is typed stays while the focus is there, also where the list closes because the page is scrolled.
      allowsCustomValue
      onBlur={onLeave ?? (() => onText(''))}
      {...(onEnter === undefined ? {} : { onFocus: onEnter })}
      {...(hidesLabel ? { 'aria-label': label } : {})}
      onSelectionChange={(key) => {
        if (key === null) return;
        onPick(String(key));
      }}
    >
      {hidesLabel ? null : <Label>{label}</Label>}
      <Input className="input" placeholder={placeholder} />
      <Popover className="popover">
        {/* Otherwise Tab would pick what happens to appear below the pointer. */}
        <ListBox<Pick>
          className="list-box"
          shouldFocusOnHover={false}
          renderEmptyState={() => <p className="list-nothing">{nothing}</p>}
        >
          {({ id, label: name, text: picked = name, note }) => (
            <ListBoxItem id={id} textValue={picked} className="list-item">
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
