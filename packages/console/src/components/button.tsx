/** Buttons, and links that look like them. */
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
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

export function Button({ kind = 'plain', icon, children, isPending = false, onPress, type, ...others }: ButtonProps) {
  const active = isPending ? {} : { ...(onPress && { onPress }), ...(type && { type }) };
  return (
    <AriaButton {...others} {...active} className={`button ${kind}${isPending ? ' pending' : ''}`}>
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
