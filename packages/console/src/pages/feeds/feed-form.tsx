/** The form of a feed: where from, which files, how they are imported, when; and a test before it is saved. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { fieldProblems } from '../../components/field-problems.js';
import { TextInput } from '../../components/fields.js';
import { textsOf } from '../../texts/texts.js';
import { ConnectionFields } from './connection-fields.js';
import { hasSameRecipient, needsSecret } from './connection-values.js';
import type { FeedValues } from './feed-values.js';
import { HostKey } from './host-key.js';
import { ImportFields } from './import-fields.js';
import { ScheduleFields } from './schedule-fields.js';
import { SecretFields } from './secret-fields.js';
import { SeenFiles } from './seen-files.js';
import { TakingFields } from './taking-fields.js';
import { useFeedText } from './texts.js';
import { lacksHostKey, useConnectionTest } from './use-connection-test.js';
import type { Feed } from './use-feeds.js';

const useText = textsOf('feed-form', {
  from: { en: 'Where from', de: 'Woher' },
  nameHelp: { en: 'Such as “ERP, every night”', de: 'Zum Beispiel „ERP, jede Nacht“' },
  test: { en: 'Test the connection', de: 'Verbindung testen' },
  tested: { en: 'What it sees', de: 'Was er sieht' },
  testedNote: {
    en: 'Nothing is taken or saved by a test.',
    de: 'Ein Test nimmt und speichert nichts.',
  },
  unlike: {
    en: 'You have changed something since: test again.',
    de: 'Sie haben seitdem etwas geändert: Testen Sie noch einmal.',
  },
  save: { en: 'Save the feed', de: 'Feed speichern' },
  saveUntested: { en: 'Save without a test', de: 'Ohne Test speichern' },
});

interface FeedFormProps {
  readonly first: FeedValues;
  /** What is changed; undefined: a new one. */
  readonly feed?: Feed | undefined;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** @param staysStored the secret that is stored may stay */
  readonly onSubmit: (values: FeedValues, staysStored: boolean) => void;
  /** What stands beside the buttons. */
  readonly children?: ReactNode;
}

export function FeedForm({ first, feed, isBusy, error, onSubmit, children }: FeedFormProps) {
  const t = useText();
  const f = useFeedText();
  const [values, setValues] = useState(first);
  const set = (change: Partial<FeedValues>) => setValues((before) => ({ ...before, ...change }));
  const hasStored = feed?.hasSecret === true;
  const isSame = feed !== undefined && hasSameRecipient(feed.connection, values.connection);
  const staysStored = hasStored && isSame;
  const tested = useConnectionTest(values, feed?.id, staysStored);
  const wrong = fieldProblems(error ?? tested.tried?.error);
  const { connection } = values;
  const works = tested.isTried && tested.tried?.test?.reached === true;
  const seen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (tested.tried !== undefined) seen.current?.focus();
  }, [tested.tried]);
  const submit = () => {
    // Who saves it decides whom Longshore trusts.
    if (lacksHostKey(values)) void tested.ask();
    else onSubmit(values, staysStored);
  };
  return (
    <Form
      className="form webhook-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Section title={t('from')}>
        <TextInput
          label={f('name')}
          help={t('nameHelp')}
          error={wrong.get('name')}
          value={values.name}
          onChange={(name) => set({ name })}
          maxLength={100}
          autoComplete="off"
          isRequired
        />
        <ConnectionFields
          values={connection}
          wrong={wrong}
          onChange={(change) => set({ connection: { ...connection, ...change } })}
        />
        {connection.kind === 'sftp' ? (
          <HostKey
            host={connection.host}
            value={connection.hostKey}
            asked={tested.asked}
            isAsking={tested.busy === 'ask'}
            wrong={wrong}
            onChange={(hostKey) => set({ connection: { ...connection, hostKey } })}
            onAsk={() => void tested.ask()}
            onAnswer={(isTrusted) => {
              if (isTrusted && tested.asked?.kind === 'shown') {
                set({ connection: { ...connection, hostKey: tested.asked.hostKey } });
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
            stored={!hasStored ? 'none' : isSame ? 'kept' : 'lost'}
            wrong={wrong}
            onChange={set}
          />
        ) : null}
      </Section>
      <TakingFields values={values} wrong={wrong} onChange={set} />
      <ImportFields values={values} wrong={wrong} onChange={set} />
      <ScheduleFields
        values={values.schedule}
        expectHours={values.expectHours}
        wrong={wrong}
        onChange={(change) => set({ schedule: { ...values.schedule, ...change } })}
        onExpect={(expectHours) => set({ expectHours })}
      />
      <div ref={seen} tabIndex={-1} className="answer">
        {tested.tried === undefined ? null : (
          <Section title={t('tested')} note={tested.isTried ? t('testedNote') : t('unlike')}>
            {tested.tried.test === undefined ? (
              <ErrorPanel error={tested.tried.error} />
            ) : (
              <SeenFiles test={tested.tried.test} />
            )}
          </Section>
        )}
      </div>
      {error === undefined ? null : <ErrorPanel error={error} />}
      <div className="actions">
        <Button
          kind={works ? 'plain' : 'primary'}
          isPending={tested.busy !== undefined}
          onPress={() => void tested.test()}
        >
          {t('test')}
        </Button>
        <Button type="submit" kind={works ? 'primary' : 'plain'} isPending={isBusy}>
          {works ? t('save') : t('saveUntested')}
        </Button>
        {children}
      </div>
    </Form>
  );
}
