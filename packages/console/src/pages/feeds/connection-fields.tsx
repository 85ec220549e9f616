/** Where the files of a feed lie, in the words of those who run such servers. */
import { Link } from '@tanstack/react-router';
import { ChoiceInput } from '../../components/choice-input.js';
import type { FieldProblems } from '../../components/field-problems.js';
import { RadioCards } from '../../components/radio-cards.js';
import { TextInput } from '../../components/text-input.js';
import { usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { usePublished } from '../exports/use-published.js';
import { type ConnectionValues, type Kind, LOGINS } from './connection-values.js';
import { useFeedText } from './texts.js';

const useText = textsOf('feed-connection', {
  kind: { en: 'Where do the files lie?', de: 'Wo liegen die Dateien?' },
  kindOfDestination: { en: 'Where are the files sent?', de: 'Wohin werden die Dateien gesendet?' },
  publishedHelp: {
    en: 'An address of ours that others fetch from',
    de: 'Eine Adresse bei uns, unter der andere sie abholen',
  },
  choose: { en: 'Choose one', de: 'Bitte wählen' },
  addresses: { en: 'Addresses of published files', de: 'Adressen veröffentlichter Dateien' },
  folderHelp: {
    en: 'Of the machine on which Longshore runs; the operator allows folders',
    de: 'Auf dem Rechner, auf dem Longshore läuft; der Betreiber erlaubt Ordner',
  },
  sftpHelp: { en: 'Of yours, a supplier or a marketplace', de: 'Von Ihnen, einem Lieferanten oder Marktplatz' },
  httpsHelp: { en: 'One file at an address', de: 'Eine Datei unter einer Adresse' },
  s3Help: { en: 'Of AWS or another store', de: 'Von AWS oder einem anderen Speicher' },
  folderPath: { en: 'Folder', de: 'Ordner' },
  folderPathHelp: { en: 'Such as /srv/feeds/erp', de: 'Zum Beispiel /srv/feeds/erp' },
  url: { en: 'Address of the file', de: 'Adresse der Datei' },
  urlHelp: {
    en: 'Such as https://supplier.example/stock.csv',
    de: 'Zum Beispiel https://lieferant.example/bestand.csv',
  },
  login: { en: 'Login', de: 'Anmeldung' },
  none: { en: 'None', de: 'Keine' },
  basic: { en: 'User and password', de: 'Benutzer und Passwort' },
  bearer: { en: 'Token (Bearer)', de: 'Token (Bearer)' },
  header: { en: 'A header of its own', de: 'Eigene Kopfzeile' },
  headerName: { en: 'Name of the header', de: 'Name der Kopfzeile' },
  host: { en: 'Server', de: 'Server' },
  hostHelp: { en: 'Such as sftp.supplier.example', de: 'Zum Beispiel sftp.lieferant.example' },
  port: { en: 'Port', de: 'Port' },
  user: { en: 'User', de: 'Benutzer' },
  sftpPath: { en: 'Folder on the server', de: 'Ordner auf dem Server' },
  sftpPathHelp: {
    en: 'Such as /outgoing, or from the folder of the login: outgoing',
    de: 'Zum Beispiel /outgoing, oder vom Ordner der Anmeldung aus: outgoing',
  },
  bucket: { en: 'Bucket', de: 'Bucket' },
  region: { en: 'Region', de: 'Region' },
  regionHelp: { en: 'Such as eu-central-1', de: 'Zum Beispiel eu-central-1' },
  prefix: { en: 'Folder in the bucket', de: 'Ordner im Bucket' },
  prefixHelp: {
    en: 'Such as outgoing/; empty: its top. For keys such as exports/2026-1.csv: exports/ and the pattern 2026-*',
    de: 'Zum Beispiel outgoing/; leer: seine oberste Ebene. Für Schlüssel wie exports/2026-1.csv: exports/ und das Muster 2026-*',
  },
  accessKeyId: { en: 'Access key id', de: 'Zugriffsschlüssel-ID' },
  endpoint: { en: 'Address of the store', de: 'Adresse des Speichers' },
  endpointHelp: { en: 'Empty: AWS', de: 'Leer: AWS' },
});

interface ConnectionFieldsProps {
  readonly kinds: readonly Kind[];
  readonly values: ConnectionValues;
  readonly wrong: FieldProblems;
  readonly onChange: (change: Partial<ConnectionValues>) => void;
}

type Field = Exclude<keyof ConnectionValues, 'kind' | 'login' | 'hostKey' | 'published'>;

export function ConnectionFields({ kinds, values, wrong, onChange }: ConnectionFieldsProps) {
  const t = useText();
  const f = useFeedText();
  const { kind, login } = values;
  const field = (name: Field, label: string, { help, path = name }: { help?: string; path?: string } = {}) => (
    <TextInput
      key={name}
      label={label}
      help={help}
      error={wrong.get(`connection.${path}`)}
      value={values[name]}
      onChange={(text) => onChange({ [name]: text })}
      autoComplete="off"
      spellCheck="false"
    />
  );
  return (
    <>
      <RadioCards
        label={t(kinds.includes('published') ? 'kindOfDestination' : 'kind')}
        value={kind}
        choices={kinds.map((value) => ({
          value,
          label: f(value),
          help: t(`${value}Help`),
        }))}
        onChange={(value) => onChange({ kind: value as ConnectionValues['kind'] })}
      />
      {kind === 'published' ? (
        <PublishedField
          value={values.published}
          problem={wrong.get('connection.name') ?? wrong.get('connection')}
          onChange={(published) => onChange({ published })}
        />
      ) : null}
      {kind === 'folder' ? field('path', t('folderPath'), { help: t('folderPathHelp') }) : null}
      {kind === 'https' ? (
        <>
          {field('url', t('url'), { help: t('urlHelp') })}
          <div className="field-grid">
            <ChoiceInput
              label={t('login')}
              value={login}
              choices={LOGINS.map((id) => ({ id, label: t(id) }))}
              onChange={(chosen) => onChange({ login: chosen })}
            />
            {login === 'basic' ? field('loginUser', t('user'), { path: 'auth.user' }) : null}
            {login === 'header' ? field('headerName', t('headerName'), { path: 'auth.name' }) : null}
          </div>
        </>
      ) : null}
      {kind === 'sftp' ? (
        <div className="field-grid">
          {field('host', t('host'), { help: t('hostHelp') })}
          {field('port', t('port'))}
          {field('user', t('user'))}
          {field('path', t('sftpPath'), { help: t('sftpPathHelp') })}
        </div>
      ) : null}
      {kind === 's3' ? (
        <div className="field-grid">
          {field('bucket', t('bucket'))}
          {field('region', t('region'), { help: t('regionHelp') })}
          {field('prefix', t('prefix'), { help: t('prefixHelp') })}
          {field('accessKeyId', t('accessKeyId'))}
          {field('endpoint', t('endpoint'), { help: t('endpointHelp') })}
        </div>
      ) : null}
    </>
  );
}

interface PublishedFieldProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (name: string) => void;
}

function PublishedField({ value, problem, onChange }: PublishedFieldProps) {
  const t = useText();
  const f = useFeedText();
  const { stage } = usePresent();
  const { data } = usePublished();
  const known = data?.data.map(({ name }) => name) ?? [];
  const names = value === '' || known.includes(value) ? known : [value, ...known];
  return (
    <>
      <ChoiceInput
        label={f('published')}
        value={`=${value}`}
        choices={[
          ...(value === '' ? [{ id: '=', label: t('choose') }] : []),
          ...names.map((name) => ({ id: `=${name}`, label: name })),
        ]}
        onChange={(chosen) => onChange(chosen.slice(1))}
      />
      {problem === undefined ? null : <p className="field-error">{problem}</p>}
      <p className="note">
        <Link to="/$stage/exports/published" params={{ stage: stage.name }} target="_blank">
          {t('addresses')}
        </Link>
      </p>
    </>
  );
}
