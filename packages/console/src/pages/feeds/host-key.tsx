/** The key of an SFTP server: it is asked for without a login, shown, and trusted only when somebody says so. */
import { useEffect, useRef } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import type { FieldProblems } from '../../components/field-problems.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { Failure } from './failure.js';

const useText = textsOf('feed-host-key', {
  label: { en: "Fingerprint of the server's key", de: 'Fingerabdruck des Serverschlüssels' },
  help: {
    en: 'Longshore logs in only at a server with this key. Who runs the server knows it: ssh-keygen -lf shows it as SHA256:…',
    de: 'Longshore meldet sich nur an einem Server mit diesem Schlüssel an. Wer den Server betreibt, kennt ihn: ssh-keygen -lf zeigt ihn als SHA256:…',
  },
  ask: { en: 'Ask the server for its key', de: 'Schlüssel beim Server erfragen' },
  question: { en: 'Is this the key of {host}?', de: 'Ist das der Schlüssel von {host}?' },
  questionHelp: {
    en: 'The server has shown it just now; nothing was sent to it. Compare it with what you were told by who runs the server: another key may mean that somebody stands between.',
    de: 'Der Server hat ihn eben gezeigt; gesendet wurde ihm nichts. Vergleichen Sie ihn mit der Angabe des Betreibers: Ein anderer Schlüssel kann heißen, dass jemand dazwischen steht.',
  },
  trust: { en: 'Yes, trust this key', de: 'Ja, diesem Schlüssel vertrauen' },
  no: { en: 'No', de: 'Nein' },
  notShown: { en: 'The server has shown no key', de: 'Der Server hat keinen Schlüssel gezeigt' },
});

/** What came of asking the server. */
export type Asked =
  | { readonly kind: 'shown'; readonly hostKey: string }
  | { readonly kind: 'failed'; readonly failure: { readonly code: string; readonly message: string } }
  | { readonly kind: 'error'; readonly error: unknown };

interface HostKeyProps {
  readonly host: string;
  readonly value: string;
  readonly asked: Asked | undefined;
  readonly isAsking: boolean;
  readonly wrong: FieldProblems;
  readonly onChange: (hostKey: string) => void;
  readonly onAsk: () => void;
  readonly onAnswer: (isTrusted: boolean) => void;
}

export function HostKey({ host, value, asked, isAsking, wrong, onChange, onAsk, onAnswer }: HostKeyProps) {
  const t = useText();
  const answer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // It may have been asked for from the end of the form.
    if (asked !== undefined) answer.current?.focus();
  }, [asked]);
  return (
    <div className="form">
      <TextInput
        label={t('label')}
        help={t('help')}
        error={wrong.get('connection.hostKey')}
        value={value}
        onChange={onChange}
        autoComplete="off"
        spellCheck="false"
      />
      <div className="actions">
        <Button icon="key" isPending={isAsking} isDisabled={host.trim() === ''} onPress={onAsk}>
          {t('ask')}
        </Button>
      </div>
      <div ref={answer} tabIndex={-1} className="answer">
        {asked === undefined ? null : asked.kind === 'shown' ? (
          <Notice
            tone="warn"
            title={t('question', { host })}
            actions={
              <>
                <Button onPress={() => onAnswer(true)}>{t('trust')}</Button>
                <Button onPress={() => onAnswer(false)}>{t('no')}</Button>
              </>
            }
          >
            <code className="one-time-text">{asked.hostKey}</code>
            <p>{t('questionHelp')}</p>
          </Notice>
        ) : asked.kind === 'failed' ? (
          <Notice tone="bad" title={t('notShown')}>
            <Failure failure={asked.failure} />
          </Notice>
        ) : (
          <ErrorPanel error={asked.error} />
        )}
      </div>
    </div>
  );
}
