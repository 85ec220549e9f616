/** The form of a feed that sends files: which export, under which name, and after which imports. */

import { ChoiceInput } from '../../components/choice-input.js';
import { Notice, Section } from '../../components/content.js';
import { RadioCards } from '../../components/radio-cards.js';
import { textsOf } from '../../texts/texts.js';
import { ItemFilters } from '../catalog/item-filters.js';
import { useDefinitions } from '../catalog/use-attributes.js';
import { useExportText, WHAT, type What } from '../exports/export-job.js';
import { FileForm } from '../exports/file-form.js';
import { DESTINATION_KINDS } from './connection-values.js';
import {
  type DestinationValues,
  destinationBodyOf,
  destinationValuesOf,
  newDestination,
} from './destination-values.js';
import type { FormFieldsProps, FormKind } from './form-kind.js';
import { SentFields } from './sent-fields.js';
import { useFeeds } from './use-feeds.js';

const useText = textsOf('destination-form', {
  what: { en: 'What is sent?', de: 'Was wird gesendet?' },
  which: { en: 'Which ones', de: 'Welche' },
  kept: {
    en: 'What is selected stays as it was saved by a program: this page has no fields for it.',
    de: 'Die Auswahl bleibt, wie ein Programm sie gespeichert hat: Diese Seite hat keine Felder dafür.',
  },
  after: { en: 'Also after the imports of', de: 'Auch nach den Importen von' },
  noFeed: { en: 'no feed', de: 'keinem Feed' },
});

type Props = FormFieldsProps<DestinationValues>;

function DestinationFields({ values, wrong, onChange }: Props) {
  const t = useText();
  const e = useExportText();
  const { data: definitions } = useDefinitions();
  const { form, filter } = values;
  const isOfItems = form.what === 'items' || form.what === 'bundles';
  return (
    <>
      <RadioCards
        label={t('what')}
        value={form.what}
        choices={WHAT.map((value) => ({ value, label: e(value) }))}
        onChange={(what) => {
          const { profile: _, columns: __, ...others } = form;
          onChange({ form: { ...others, what: what as What }, filter: {} });
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
            onChange={({ type: _, ...next }) => onChange({ filter: next })}
          />
        </Section>
      ) : null}
      <FileForm form={form} definitions={definitions} onChange={(next) => onChange({ form: next })} />
      <SentFields values={values} wrong={wrong} onChange={onChange} />
    </>
  );
}

function AfterImports({ values: { after }, wrong, onChange }: Props) {
  const t = useText();
  const { data: feeds = [] } = useFeeds();
  const sources = feeds.filter(({ direction }) => direction === 'SOURCE').map(({ name }) => name);
  const offered = after === '' || sources.includes(after) ? sources : [after, ...sources];
  const problem = wrong.get('after') ?? wrong.get('after.feed');
  return (
    <>
      <ChoiceInput
        label={t('after')}
        value={`=${after}`}
        choices={[{ id: '=', label: t('noFeed') }, ...offered.map((name) => ({ id: `=${name}`, label: name }))]}
        onChange={(chosen) => onChange({ after: chosen.slice(1) })}
      />
      {problem === undefined ? null : <p className="field-error">{problem}</p>}
    </>
  );
}

export const DESTINATION: FormKind<DestinationValues> = {
  direction: 'DESTINATION',
  kinds: DESTINATION_KINDS,
  first: newDestination,
  valuesOf: destinationValuesOf,
  bodyOf: destinationBodyOf,
  wanted: () => ({ direction: 'DESTINATION' }),
  Fields: DestinationFields,
  Occasion: AfterImports,
};
