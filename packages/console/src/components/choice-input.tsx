/** One of a list that opens: a button with what is chosen. The list is loaded after the page, and a page has many of them. */
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import type { Choice } from './choice-list.js';
import { Icon } from './icon.js';
import { later, useLater } from './later.js';

interface ChoiceInputProps<K extends string> {
  readonly label: string;
  readonly value: K;
  readonly choices: readonly Choice<K>[];
  readonly onChange: (value: K) => void;
  readonly hidesLabel?: boolean;
  readonly className?: string;
}

const list = later(() => import('./choice-list.js'));

export function ChoiceInput<K extends string>(props: ChoiceInputProps<K>) {
  const { label, value, choices, onChange, hidesLabel = false, className = '' } = props;
  const id = useId();
  const [labelId, valueId, listId] = [`${id}-label`, `${id}-value`, `${id}-list`];
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const loaded = useLater(list);
  const present = choices.findIndex((choice) => choice.id === value);
  const chosen = choices[present];
  const open = () => {
    list.load().then(
      () => setOpen(true),
      // Without an answer it cannot be opened; the next press tries again.
      () => undefined,
    );
  };
  const choose = (choice: Choice<K> | undefined) => {
    if (choice !== undefined && choice.id !== value) onChange(choice.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') open();
    else if (event.key === 'ArrowLeft') choose(choices[present - 1]);
    else if (event.key === 'ArrowRight') choose(choices[present + 1]);
    else if (/^[^\s]$/u.test(event.key)) choose(nextWith(event.key, choices, present));
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the button, which bubble
    <div className={`field choice ${className}`} onKeyDown={onKeyDown}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button is reached by keyboard itself */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as a label */}
      <span id={labelId} className={hidesLabel ? 'unseen' : 'react-aria-Label'} onClick={() => button.current?.focus()}>
        {label}
      </span>
      <Button
        ref={button}
        className="input choice-button"
        aria-labelledby={`${valueId} ${labelId}`}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        {...(isOpen ? { 'aria-controls': listId } : {})}
        onPress={open}
      >
        <span id={valueId}>
          <Chosen choice={chosen} />
        </span>
        <Icon name="chevron" />
      </Button>
      {loaded === undefined || !isOpen ? null : (
        <loaded.ChoiceList
          id={listId}
          labelId={labelId}
          trigger={button}
          value={value}
          choices={choices}
          onChoose={(key) => {
            setOpen(false);
            choose(choices.find((choice) => choice.id === key));
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

function Chosen({ choice }: { readonly choice: { readonly label: string; readonly note?: ReactNode } | undefined }) {
  return (
    <>
      <span>{choice?.label}</span>
      {choice?.note}
    </>
  );
}

/** The next choice that begins with a letter, as lists of browsers have it. */
function nextWith<C extends { readonly label: string }>(letter: string, choices: readonly C[], present: number) {
  const order = [...choices.slice(present + 1), ...choices.slice(0, present + 1)];
  return order.find(({ label }) => label.toLocaleLowerCase().startsWith(letter.toLocaleLowerCase()));
}
