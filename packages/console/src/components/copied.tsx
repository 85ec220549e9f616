/** Texts that are taken elsewhere: secrets, links, programs. */
import { type ReactNode, useState } from 'react';
import { textsOf } from '../texts/texts.js';
import { Button } from './button.js';

const useText = textsOf('copied', {
  copy: { en: 'Copy', de: 'Kopieren' },
  copied: { en: 'Copied', de: 'Kopiert' },
  refused: { en: 'Select it and copy it yourself', de: 'Bitte markieren und selbst kopieren' },
});

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for those who hear the button alone. */
  readonly what: string;
  readonly kind?: 'primary' | 'plain';
}

export function CopyButton({ text, what, kind = 'plain' }: CopyButtonProps) {
  const t = useText();
  const [state, setState] = useState<'copy' | 'copied' | 'refused'>('copy');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // Without TLS there is no clipboard, but for localhost.
      setState('refused');
    }
  };
  return (
    <>
      <Button
        kind={kind}
        icon={state === 'copied' ? 'check' : 'copy'}
        aria-label={`${t(state)}: ${what}`}
        onPress={copy}
      >
        {t(state)}
      </Button>
      <span className="unseen" role="status">
        {state === 'copy' ? '' : t(state)}
      </span>
    </>
  );
}

/** A short text of one line that is shown only now. */
export function OneTimeText({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <div className="one-time">
      <code className="one-time-text">{text}</code>
      <CopyButton text={text} what={what} kind="primary" />
    </div>
  );
}

interface CodeProps {
  readonly text: string;
  /** Names it. */
  readonly label: string;
  readonly actions?: ReactNode;
}

/** Text with its own line ends, which is scrolled, also with the keyboard. */
export function Code({ text, label, actions }: CodeProps) {
  return (
    <div className="code-block">
      <div className="code-head">
        <span>{label}</span>
        {actions}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
