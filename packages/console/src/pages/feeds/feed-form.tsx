/** The form of a feed that takes files: where from, which, how they are imported, when; and a test before it is saved. */
import { type ReactNode, useState } from 'react';
import { Form } from 'react-aria-components';
import { fieldProblems } from '../../components/field-problems.js';
import { textsOf } from '../../texts/texts.js';
import { ConnectionSection } from './connection-section.js';
import { hasSameRecipient, SOURCE_KINDS } from './connection-values.js';
import { type FeedValues, sourceOf } from './feed-values.js';
import { FormEnd } from './form-end.js';
import { ImportFields } from './import-fields.js';
import { ScheduleFields } from './schedule-fields.js';
import { TakingFields } from './taking-fields.js';
import { lacksHostKey, useConnectionTest } from './use-connection-test.js';
import type { Feed } from './use-feeds.js';

const useText = textsOf('feed-form', {
  from: { en: 'Where from', de: 'Woher' },
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
  const [values, setValues] = useState(first);
  const set = (change: Partial<FeedValues>) => setValues((before) => ({ ...before, ...change }));
  const hasStored = feed?.hasSecret === true;
  const isSame = feed !== undefined && hasSameRecipient(feed.connection, values.connection);
  const staysStored = hasStored && isSame;
  const tested = useConnectionTest(values, { pick: sourceOf(values).pick }, feed?.id, staysStored);
  const wrong = fieldProblems(error ?? tested.tried?.error);
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
      <ConnectionSection
        title={t('from')}
        kinds={SOURCE_KINDS}
        values={values}
        stored={!hasStored ? 'none' : isSame ? 'kept' : 'lost'}
        tested={tested}
        wrong={wrong}
        onChange={set}
      />
      <TakingFields values={values} wrong={wrong} onChange={set} />
      <ImportFields values={values} wrong={wrong} onChange={set} />
      <ScheduleFields
        takesFiles
        values={values.schedule}
        expectHours={values.expectHours}
        wrong={wrong}
        onChange={(change) => set({ schedule: { ...values.schedule, ...change } })}
        onExpect={(expectHours) => set({ expectHours })}
      />
      <FormEnd tested={tested} isBusy={isBusy} error={error}>
        {children}
      </FormEnd>
    </Form>
  );
}
