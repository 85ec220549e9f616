/** Buttons, and links that look like them. */
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, type ReactNode, type Ref, useLayoutEffect, useRef, useState } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Icon, type IconName } from './icon.js';

interface Look {
  /** `primary`: what one comes to a page for; there is one of them. `danger`: what takes something away. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconName;
}

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'isPending'>, Look {
  readonly children: ReactNode;
  /** What it does is under way: it keeps the focus, and a second press does nothing. */
  readonly isPending?: boolean;
}

export function Button(props: ButtonProps) {
  const { kind = 'plain', icon, children, isPending = false, isDisabled = false, onPress, type, ...others } = props;
  const [hasFocus, setFocus] = useState(false);
  // A browser takes the focus from a button that is disabled: who has pressed it with the keyboard would stand nowhere.
  const isHeld = isDisabled && hasFocus;
  const active = isPending || isHeld ? {} : { ...(onPress && { onPress }), ...(type && { type }) };
  const element = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isHeld) element.current?.setAttribute('aria-disabled', 'true');
    else element.current?.removeAttribute('aria-disabled');
  }, [isHeld]);
  const state = isPending ? ' pending' : isHeld ? ' held' : '';
  return (
    <AriaButton
      {...others}
      {...active}
      ref={element}
      isDisabled={isDisabled && !isHeld}
      onFocusChange={setFocus}
      className={`button ${kind}${state}`}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      <span>{children}</span>
    </AriaButton>
  );
}

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement>, Look {
  readonly ref?: Ref<HTMLAnchorElement>;
}

function Anchor({ kind = 'plain', icon, children, ...others }: AnchorProps) {
  return (
    <a {...others} className={`button ${kind}`}>
      {icon === undefined ? null : <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}

/** A link to another page of the console. */
export const ButtonLink = createLink(Anchor);
