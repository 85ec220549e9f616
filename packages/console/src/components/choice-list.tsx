/** The list that a choice opens. */
import type { ReactNode, RefObject } from 'react';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';

export interface Choice<K extends string> {
  readonly id: K;
  readonly label: string;
  /** Shown beside the label. */
  readonly note?: ReactNode;
}

interface ChoiceListProps {
  readonly id: string;
  readonly labelId: string;
  readonly trigger: RefObject<HTMLElement | null>;
  readonly value: string;
  readonly choices: readonly Choice<string>[];
  /** Undefined: what was chosen already. */
  readonly onChoose: (id: string | undefined) => void;
  readonly onClose: () => void;
}

export function ChoiceList({ id, labelId, trigger, value, choices, onChoose, onClose }: ChoiceListProps) {
  return (
    <Popover
      isOpen
      trigger="Select"
      triggerRef={trigger}
      placement="bottom start"
      className="popover"
      aria-labelledby={labelId}
      onOpenChange={(isOpen) => isOpen || onClose()}
    >
      <ListBox
        id={id}
        className="list-box"
        aria-labelledby={labelId}
        selectionMode="single"
        selectedKeys={[value]}
        autoFocus
        shouldSelectOnPressUp
        shouldFocusOnHover
        onSelectionChange={(keys) => {
          const [key] = keys;
          onChoose(key === undefined ? undefined : String(key));
        }}
      >
        {choices.map(({ id: key, label, note }) => (
          <ListBoxItem key={key} id={key} textValue={label} className="list-item">
            <Text slot="label">{label}</Text>
            {note}
          </ListBoxItem>
        ))}
      </ListBox>
    </Popover>
  );
}
