/** The form of a feed that sends files: where to, which export, under which name, and when. */
import { type ReactNode, useState } from 'react';
import { Form } from 'react-aria-components';
import { Notice, Section } from '../../components/content.js';
import { fieldProblems } from '../../components/field-problems.js';
import { ChoiceInput, RadioCards } from '../../components/fields.js';
import { textsOf } from '../../texts/texts.js';
import { ItemFilters } from '../catalog/item-filters.js';
import { useDefinitions } from '../catalog/use-attributes.js';
import { useExportText, WHAT, type What } from '../exports/export-job.js';
import { FileForm } from '../exports/file-form.js';
import { ConnectionSection } from './connection-section.js';
import { DESTINATION_KINDS, hasSameRecipient } from './connection-values.js';
import type { DestinationValues } from './destination-values.js';
import { FormEnd } from './form-end.js';
import { ScheduleFields } from './schedule-fields.js';
import { SentFields } from './sent-fields.js';
import { lacksHostKey, useConnectionTest } from './use-connection-test.js';
import { type Feed, useFeeds } from './use-feeds.js';

const useText = textsOf('destination-form', {
  to: { en: 'Where to', de: 'Wohin' },
  what: { en: 'What is sent?', de: 'Was wird gesendet?' },
  which: { en: 'Which ones', de: 'Welche' },
  kept: {
    en: 'What is selected stays as it was saved by a program: this page has no fields for it.',
    de: 'Die Auswahl bleibt, wie ein Programm sie gespeichert hat: Diese Seite hat keine Felder dafür.',
  },
  after: { en: 'Also after the imports of', de: 'Auch nach den Importen von' },
  noFeed: { en: 'no feed', de: 'keinem Feed' },
});

const DIRECTION = { direction: 'DESTINATION' } as const;

interface DestinationFormProps {
  readonly first: DestinationValues;
  /** What is changed; undefined: a new one. */
  readonly feed?: Feed | undefined;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** @param staysStored the secret that is stored may stay */
  readonly onSubmit: (values: DestinationValues, staysStored: boolean) => void;
  /** What stands beside the buttons. */
  readonly children?: ReactNode;
}

export function DestinationForm({ first, feed, isBusy, error, onSubmit, children }: DestinationFormProps) {
  const t = useText();
  const e = useExportText();
  const [values, setValues] = useState(first);
  const set = (change: Partial<DestinationValues>) => setValues((before) => ({ ...before, ...change }));
  const { data: definitions } = useDefinitions();
  const { data: feeds = [] } = useFeeds();
  const hasStored = feed?.hasSecret === true;
  const isSame = feed !== undefined && hasSameRecipient(feed.connection, values.connection);
  const staysStored = hasStored && isSame;
  const tested = useConnectionTest(values, DIRECTION, feed?.id, staysStored);
  const wrong = fieldProblems(error ?? tested.tried?.error);
  const { form, filter, after } = values;
  const isOfItems = form.what === 'items' || form.what === 'bundles';
  const sources = feeds.filter(({ direction }) => direction === 'SOURCE').map(({ name }) => name);
  const offered = after === '' || sources.includes(after) ? sources : [after, ...sources];
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
        title={t('to')}
        kinds={DESTINATION_KINDS}
        values={values}
        stored={!hasStored ? 'none' : isSame ? 'kept' : 'lost'}
        tested={tested}
        wrong={wrong}
        onChange={set}
      />
      <RadioCards
        label={t('what')}
        value={form.what}
        choices={WHAT.map((value) => ({ value, label: e(value) }))}
        onChange={(what) => {
          const { profile: _, columns: __, ...others } = form;
          set({ form: { ...others, what: what as What }, filter: {} });
        }}
      />
      {filter === undefined ? (
        <Notice tone="neutral" title={t('kept')} />
      ) : isOfItems && definitions !== undefined ? (
        <Section title={t('which')}>
          <ItemFilters
            filter={filter}
            attributes={definitions.attributes}
            hidesType
            onChange={({ type: _, ...next }) => set({ filter: next })}
          />
        </Section>
      ) : null}
      <FileForm form={form} definitions={definitions} onChange={(next) => set({ form: next })} />
      <SentFields values={values} wrong={wrong} onChange={set} />
      <ScheduleFields
        values={values.schedule}
        expectHours={values.expectHours}
        wrong={wrong}
        onChange={(change) => set({ schedule: { ...values.schedule, ...change } })}
        onExpect={(expectHours) => set({ expectHours })}
      >
        <ChoiceInput
          label={t('after')}
          value={`=${after}`}
          choices={[{ id: '=', label: t('noFeed') }, ...offered.map((name) => ({ id: `=${name}`, label: name }))]}
          onChange={(chosen) => set({ after: chosen.slice(1) })}
        />
        {wrong.has('after') || wrong.has('after.feed') ? (
          <p className="field-error">{wrong.get('after') ?? wrong.get('after.feed')}</p>
        ) : null}
      </ScheduleFields>
      <FormEnd tested={tested} isBusy={isBusy} error={error}>
        {children}
      </FormEnd>
    </Form>
  );
}
