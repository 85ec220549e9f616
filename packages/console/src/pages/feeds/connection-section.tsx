/** The part of the form of a feed that says where its files lie, and how one logs in there. */
import { Section } from '../../components/content.js';
import type { FieldProblems } from '../../components/field-problems.js';
import { later, useLater } from '../../components/later.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { ConnectionFields } from './connection-fields.js';
import { type Kind, needsSecret } from './connection-values.js';
import type { FormValues } from './form-kind.js';
import { SecretFields } from './secret-fields.js';
import { useFeedText } from './texts.js';
import type { useConnectionTest } from './use-connection-test.js';

/** Only servers for SFTP have one. */
const hostKey = later(() => import('./host-key.js'));

const useText = textsOf('feed-connection-section', {
  nameHelp: { en: 'Such as “ERP, every night”', de: 'Zum Beispiel „ERP, jede Nacht“' },
});

type Values = Pick<FormValues, 'name' | 'connection' | 'secret' | 'passphrase' | 'isKey'>;

interface ConnectionSectionProps {
  readonly title: string;
  readonly kinds: readonly Kind[];
  readonly values: Values;
  /** As of SecretFields. */
  readonly stored: 'none' | 'kept' | 'lost';
  readonly tested: ReturnType<typeof useConnectionTest>;
  readonly wrong: FieldProblems;
  readonly onChange: (change: Partial<Values>) => void;
}

export function ConnectionSection(props: ConnectionSectionProps) {
  const { title, kinds, values, stored, tested, wrong, onChange } = props;
  const t = useText();
  const f = useFeedText();
  const { connection } = values;
  const key = useLater(hostKey);
  return (
    <Section title={title}>
      <TextInput
        label={f('name')}
        help={t('nameHelp')}
        error={wrong.get('name')}
        value={values.name}
        onChange={(name) => onChange({ name })}
        maxLength={100}
        autoComplete="off"
        isRequired
      />
      <ConnectionFields
        kinds={kinds}
        values={connection}
        wrong={wrong}
        onChange={(change) => onChange({ connection: { ...connection, ...change } })}
      />
      {connection.kind === 'sftp' && key !== undefined ? (
        <key.HostKey
          host={connection.host}
          value={connection.hostKey}
          asked={tested.asked}
          isAsking={tested.busy === 'ask'}
          wrong={wrong}
          onChange={(known) => onChange({ connection: { ...connection, hostKey: known } })}
          onAsk={() => void tested.ask()}
          onAnswer={(isTrusted) => {
            if (isTrusted && tested.asked?.kind === 'shown') {
              onChange({ connection: { ...connection, hostKey: tested.asked.hostKey } });
            }
            tested.forget();
          }}
        />
      ) : null}
      {needsSecret(connection) ? (
        <SecretFields
          key={connection.kind}
          connection={connection}
          values={values}
          stored={stored}
          wrong={wrong}
          onChange={onChange}
        />
      ) : null}
    </Section>
  );
}
