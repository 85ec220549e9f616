/** A link logs in as somebody else than who is logged in: whoever opened it may not know. */
import { useState } from 'react';
import { Button } from '../components/button.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Sign } from '../components/icon.js';
import { currentSession, logIn, type Session } from '../session/session.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('other-session', {
  title: { en: 'Log in as somebody else?', de: 'Als jemand anderes anmelden?' },
  question: {
    en: 'You are logged in as {present}. Log in as {offered} instead?',
    de: 'Sie sind als {present} angemeldet. Stattdessen als {offered} anmelden?',
  },
  warning: {
    en: 'Whatever you then do and upload belongs to {offered}. Stay if you did not expect this link.',
    de: 'Was Sie danach tun und hochladen, gehört zu {offered}. Bleiben Sie, wenn Sie diesen Link nicht erwartet haben.',
  },
  stay: { en: 'Stay {name}', de: '{name} bleiben' },
  change: { en: 'Log in as {name}', de: 'Als {name} anmelden' },
});

export interface OtherSessionProps {
  readonly code: string;
  readonly present: string;
  readonly offered: string;
  readonly onChosen: (session: Session | undefined) => void;
}

export function OtherSessionPage({ code, present, offered, onChosen }: OtherSessionProps) {
  const t = useText();
  const [error, setError] = useState<unknown>();
  const choose = (choice: () => Promise<Session | undefined>) => () => {
    setError(undefined);
    choice().then(onChosen, setError);
  };
  return (
    <main className="login">
      <div className="login-card">
        <div className="login-brand">
          <Sign />
          <span className="brand-name">Longshore</span>
        </div>
        <h1>{t('title')}</h1>
        <p>
          <bdi>{t('question', { present, offered })}</bdi>
        </p>
        <p className="note">{t('warning', { offered })}</p>
        {error === undefined ? null : <ErrorPanel error={error} />}
        <div className="actions">
          <Button kind="primary" onPress={choose(currentSession)} autoFocus>
            {t('stay', { name: present })}
          </Button>
          <Button onPress={choose(() => logIn({ code, replace: true }))}>{t('change', { name: offered })}</Button>
        </div>
      </div>
    </main>
  );
}
