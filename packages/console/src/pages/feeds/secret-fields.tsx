/** The secret of a connection: it is typed, never shown, and asked for again when it would be sent to another server. */
import { Notice } from '../../components/content.js';
import type { FieldProblems } from '../../components/field-problems.js';
import { RadioCards } from '../../components/radio-cards.js';
import { TextAreaInput } from '../../components/text-area.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import type { ConnectionValues } from './connection-values.js';
import type { FormValues } from './form-kind.js';

const useText = textsOf('feed-secret', {
  how: { en: 'How does Longshore log in?', de: 'Wie meldet sich Longshore an?' },
  byPassword: { en: 'With a password', de: 'Mit einem Passwort' },
  byKey: { en: 'With a private key', de: 'Mit einem privaten Schlüssel' },
  password: { en: 'Password', de: 'Passwort' },
  token: { en: 'Token', de: 'Token' },
  value: { en: 'Value of the header', de: 'Wert der Kopfzeile' },
  secretKey: { en: 'Secret key', de: 'Geheimer Schlüssel' },
  privateKey: { en: 'Private key', de: 'Privater Schlüssel' },
  privateKeyHelp: {
    en: 'The whole text of the file, as ssh-keygen or PuTTY writes it',
    de: 'Der ganze Text der Datei, wie ssh-keygen oder PuTTY sie schreibt',
  },
  passphrase: { en: 'Passphrase of the key', de: 'Passphrase des Schlüssels' },
  passphraseHelp: { en: 'Empty: it has none', de: 'Leer: Er hat keine' },
  stored: {
    en: 'It is stored encrypted and never shown. Empty: what is stored stays.',
    de: 'Es wird verschlüsselt gespeichert und nie gezeigt. Leer: Das Gespeicherte bleibt.',
  },
  willBe: { en: 'It is stored encrypted and never shown.', de: 'Es wird verschlüsselt gespeichert und nie gezeigt.' },
  again: {
    en: 'Enter the password or key again: what is stored belongs to another server, user or server key, and is sent to nobody else.',
    de: 'Geben Sie Passwort oder Schlüssel neu ein: Das Gespeicherte gehört zu einem anderen Server, Benutzer oder Serverschlüssel und wird niemand anderem gesendet.',
  },
});

type SecretValues = Pick<FormValues, 'secret' | 'passphrase' | 'isKey'>;

interface SecretFieldsProps {
  readonly connection: ConnectionValues;
  readonly values: SecretValues;
  /** `kept`: there is one, and it may stay. `lost`: there is one, of another server. */
  readonly stored: 'none' | 'kept' | 'lost';
  readonly wrong: FieldProblems;
  readonly onChange: (change: Partial<SecretValues>) => void;
}

export function SecretFields({ connection, values, stored, wrong, onChange }: SecretFieldsProps) {
  const t = useText();
  const { kind, login } = connection;
  const isKey = kind === 'sftp' && values.isKey;
  const label =
    kind === 's3'
      ? t('secretKey')
      : login === 'bearer' && kind === 'https'
        ? t('token')
        : login === 'header' && kind === 'https'
          ? t('value')
          : t('password');
  const help = t(stored === 'kept' ? 'stored' : 'willBe');
  const onSecret = (secret: string) => onChange({ secret });
  return (
    <>
      {stored === 'lost' ? <Notice tone="warn" title={t('again')} /> : null}
      {kind === 'sftp' ? (
        <RadioCards
          label={t('how')}
          value={values.isKey ? 'byKey' : 'byPassword'}
          choices={(['byPassword', 'byKey'] as const).map((value) => ({ value, label: t(value) }))}
          onChange={(value) => onChange({ secret: '', passphrase: '', isKey: value === 'byKey' })}
        />
      ) : null}
      {isKey ? (
        <>
          <TextAreaInput
            isCode
            isSecret
            label={t('privateKey')}
            help={`${t('privateKeyHelp')}. ${help}`}
            error={wrong.get('secret')}
            value={values.secret}
            onChange={onSecret}
            autoComplete="off"
          />
          <TextInput
            label={t('passphrase')}
            help={t('passphraseHelp')}
            type="password"
            autoComplete="off"
            error={wrong.get('passphrase')}
            value={values.passphrase}
            onChange={(passphrase) => onChange({ passphrase })}
          />
        </>
      ) : (
        <TextInput
          label={label}
          help={help}
          // A browser that keeps passwords would offer that of another page.
          type="password"
          autoComplete="new-password"
          error={wrong.get('secret')}
          value={values.secret}
          onChange={onSecret}
        />
      )}
    </>
  );
}
