/** The form of a feed, which is new or changed: where its files lie, what is done with them, when; and a test before it is saved. */
import { Form } from 'react-aria-components/Form';
import { ButtonLink } from '../../components/button.js';
import { fieldProblems } from '../../components/field-problems.js';
import { usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { ConnectionSection } from './connection-section.js';
import { hasSameRecipient } from './connection-values.js';
import { secretsOf } from './feed-values.js';
import { FormEnd } from './form-end.js';
import type { FormKind, FormValues } from './form-kind.js';
import { ScheduleFields } from './schedule-fields.js';
import { useFeedText } from './texts.js';
import { lacksHostKey, useConnectionTest } from './use-connection-test.js';
import type { Feed } from './use-feeds.js';
import { useSaveFeed } from './use-save-feed.js';
import { ownZone } from './zoned-time.js';

const useText = textsOf('feed-form', {
  SOURCE: { en: 'Where from', de: 'Woher' },
  DESTINATION: { en: 'Where to', de: 'Wohin' },
});

const SECRETS = ['secret', 'passphrase'] as const;

interface FeedFormProps<V extends FormValues> {
  readonly kind: FormKind<V>;
  /** What is changed; undefined: a new one. */
  readonly feed?: Feed;
}

export function FeedForm<V extends FormValues>({ kind, feed }: FeedFormProps<V>) {
  const t = useText();
  const { direction, kinds, Fields, Occasion } = kind;
  const typed = useTyped(
    `feed.${feed?.id ?? direction}`,
    feed === undefined ? kind.first(ownZone()) : kind.valuesOf(feed, ownZone()),
    { secrets: SECRETS, basis: feed === undefined ? '' : String(feed.version) },
  );
  const { values } = typed;
  const set = (change: Partial<FormValues>) => typed.set(change as Partial<V>);
  const hasStored = feed?.hasSecret === true;
  const isSame = feed !== undefined && hasSameRecipient(feed.connection, values.connection);
  const staysStored = hasStored && isSame;
  const { save, error, isBusy } = useSaveFeed(feed, typed);
  const tested = useConnectionTest(values, kind.wanted(values), feed?.id, staysStored);
  const wrong = fieldProblems(error ?? tested.tried?.error);
  const submit = () => {
    // Who saves it decides whom Longshore trusts.
    if (lacksHostKey(values)) void tested.ask();
    else void save({ ...kind.bodyOf(values, feed), ...secretsOf(values, staysStored) });
  };
  return (
    <Form
      className="form webhook-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TypedNote typed={typed} />
      <ConnectionSection
        title={t(direction)}
        kinds={kinds}
        values={values}
        stored={!hasStored ? 'none' : isSame ? 'kept' : 'lost'}
        tested={tested}
        wrong={wrong}
        onChange={set}
      />
      <Fields values={values} wrong={wrong} onChange={typed.set} />
      <ScheduleFields
        takesFiles={direction === 'SOURCE'}
        values={values.schedule}
        expectHours={values.expectHours}
        wrong={wrong}
        onChange={(change) => set({ schedule: { ...values.schedule, ...change } })}
        onExpect={(expectHours) => set({ expectHours })}
      >
        {Occasion === undefined ? null : <Occasion values={values} wrong={wrong} onChange={typed.set} />}
      </ScheduleFields>
      <FormEnd tested={tested} isBusy={isBusy} error={error}>
        <CancelLink feed={feed} onClick={typed.forget} />
      </FormEnd>
    </Form>
  );
}

function CancelLink({ feed, onClick }: { readonly feed: Feed | undefined; readonly onClick: () => void }) {
  const f = useFeedText();
  const { stage } = usePresent();
  return feed === undefined ? (
    <ButtonLink to="/$stage/feeds" params={{ stage: stage.name }} onClick={onClick}>
      {f('cancel')}
    </ButtonLink>
  ) : (
    <ButtonLink to="/$stage/feeds/$feedId" params={{ stage: stage.name, feedId: feed.id }} onClick={onClick}>
      {f('cancel')}
    </ButtonLink>
  );
}
