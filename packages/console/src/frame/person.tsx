/** Who is logged in: a button of the bar, which opens what there is for them. */
import { useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Icon } from '../components/icon.js';
import { later, useLater } from '../components/later.js';
import { useLoggedIn } from '../session/logged-in.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('person', {
  open: { en: 'You and how it looks: {name}', de: 'Sie und das Aussehen: {name}' },
});

const panel = later(() => import('./person-panel.js'));

export function Person() {
  const t = useText();
  const { session } = useLoggedIn();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const loaded = useLater(panel);
  const open = () => {
    panel.load().then(
      () => setOpen(true),
      // Without an answer it cannot be opened; the next press tries again.
      () => undefined,
    );
  };
  return (
    <>
      <AriaButton
        ref={button}
        className="person"
        aria-label={t('open', { name: session.name })}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPress={open}
      >
        <Icon name="user" />
        <span className="person-name">{session.name}</span>
      </AriaButton>
      {loaded === undefined || !isOpen ? null : <loaded.PersonPanel trigger={button} onClose={() => setOpen(false)} />}
    </>
  );
}
