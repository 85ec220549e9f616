/** The rules of a profile in two columns: what is in the file, and what it becomes. */
import type { schemas } from '@longshore/client';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { type Column, DataTable } from '../../components/table.js';
import { textsOf } from '../../texts/texts.js';
import { type Rule, sourcesOf } from './draft.js';
import { useStepText } from './step-texts.js';
import { useProfileText } from './texts.js';

const useText = textsOf('profile-rules', {
  title: { en: 'Columns', de: 'Spalten' },
  note: {
    en: 'On the left is what is in your file, on the right what it becomes.',
    de: 'Links steht, was in Ihrer Datei ist, rechts, was daraus wird.',
  },
  from: { en: 'In your file', de: 'In Ihrer Datei' },
  samples: { en: 'Values', de: 'Werte' },
  to: { en: 'Becomes', de: 'Wird zu' },
  steps: { en: 'Conversions', de: 'Umwandlungen' },
  actions: { en: 'Actions', de: 'Aktionen' },
  asItIs: { en: 'as it is', de: 'unverändert' },
  edit: { en: 'Edit', de: 'Bearbeiten' },
  editRule: { en: 'Edit “{column}”', de: '„{column}“ bearbeiten' },
  add: { en: 'Add a column', de: 'Spalte hinzufügen' },
  unmapped: {
    en: 'Columns of the file that the profile does not name',
    de: 'Spalten der Datei, die das Profil nicht nennt',
  },
  addOne: { en: 'Add “{column}”', de: '„{column}“ hinzufügen' },
});

const MOST_SAMPLES = 3;
const LONGEST_SAMPLE = 42;
const MOST_UNMAPPED = 40;

interface RulesTableProps {
  readonly rules: readonly Rule[];
  /** Of the file of the preview. */
  readonly columns: readonly schemas.FileInspection['columns'][number][];
  /** Undefined: one may only look. */
  readonly onEdit: ((index: number) => void) | undefined;
  readonly onAdd: (rule: Rule) => void;
}

export function RulesTable({ rules, columns, onEdit, onAdd }: RulesTableProps) {
  const t = useText();
  const p = useProfileText();
  const inWords = useStepText();
  const byName = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const named = new Set(rules.flatMap((rule) => sourcesOf(rule).map((name) => name.toLowerCase())));
  const unmapped = columns.filter(({ name }) => name !== '' && !named.has(name.toLowerCase()));
  type Line = { readonly rule: Rule; readonly index: number };
  const shown: Column<Line>[] = [
    {
      id: 'from',
      title: t('from'),
      isHeader: true,
      cell: ({ rule }) => (
        <bdi>
          {rule.constant === undefined ? sourcesOf(rule).join(' + ') : p('constant', { value: cut(rule.constant) })}
        </bdi>
      ),
    },
    {
      id: 'samples',
      title: t('samples'),
      isMinor: true,
      cell: ({ rule }) => {
        const examples = sourcesOf(rule).flatMap((name) => byName.get(name.toLowerCase())?.examples ?? []);
        return (
          <span className="samples">
            {[...new Set(examples)].slice(0, MOST_SAMPLES).map((sample) => (
              <bdi key={sample} className="sample">
                {cut(sample)}
              </bdi>
            ))}
          </span>
        );
      },
    },
    {
      id: 'to',
      title: t('to'),
      cell: ({ rule: { to } }) => (to === null ? <span className="note">{p('ignored')}</span> : <bdi>{to}</bdi>),
    },
    {
      id: 'steps',
      title: t('steps'),
      isMinor: true,
      cell: ({ rule: { steps = [] } }) => (
        <span className="small">{steps.length === 0 ? t('asItIs') : steps.map(inWords).join(' → ')}</span>
      ),
    },
    ...(onEdit === undefined
      ? []
      : [
          {
            id: 'actions',
            title: t('actions'),
            cell: ({ rule, index }: Line) => (
              <Button
                kind="quiet"
                aria-label={t('editRule', { column: rule.to ?? sourcesOf(rule).join(' + ') })}
                onPress={() => onEdit(index)}
              >
                {t('edit')}
              </Button>
            ),
          },
        ]),
  ];
  return (
    <Section
      title={t('title')}
      note={t('note')}
      actions={onEdit === undefined ? null : <Button onPress={() => onAdd({ to: '', from: '' })}>{t('add')}</Button>}
    >
      <DataTable
        caption={t('title')}
        columns={shown}
        rows={rules.map((rule, index) => ({ rule, index }))}
        keyOf={({ index }) => index}
      />
      {unmapped.length === 0 ? null : (
        <div className="changes-part">
          <h3>{t('unmapped')}</h3>
          <p className="samples">
            {unmapped.slice(0, MOST_UNMAPPED).map(({ index, name }) =>
              onEdit === undefined ? (
                <bdi key={index} className="sample">
                  {name}
                </bdi>
              ) : (
                <Button
                  key={index}
                  kind="quiet"
                  aria-label={t('addOne', { column: name })}
                  onPress={() => onAdd({ to: name, from: name })}
                >
                  <bdi>{name}</bdi>
                </Button>
              ),
            )}
          </p>
        </div>
      )}
    </Section>
  );
}

function cut(text: string): string {
  return text.length > LONGEST_SAMPLE ? `${text.slice(0, LONGEST_SAMPLE)}…` : text;
}
