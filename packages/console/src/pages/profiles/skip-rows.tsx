/** Which rows of a file a profile leaves out. */
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { Section } from '../../components/content.js';
import { SuggestInput } from '../../components/suggest-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import type { Document } from './draft.js';
import { LinesInput } from './lines-input.js';

const useText = textsOf('profile-skip', {
  title: { en: 'Rows that are left out', de: 'Zeilen, die wegbleiben' },
  note: {
    en: 'A row is left out if one of these holds, such as a row of totals.',
    de: 'Eine Zeile bleibt weg, wenn eines davon gilt, etwa eine Summenzeile.',
  },
  column: { en: 'Column of the file', de: 'Spalte der Datei' },
  is: { en: 'Its cell', de: 'Ihre Zelle' },
  empty: { en: 'is empty', de: 'ist leer' },
  equals: { en: 'is one of these texts', de: 'ist einer dieser Texte' },
  matches: { en: 'matches an expression', de: 'passt auf einen Ausdruck' },
  texts: { en: 'Texts, one on each line', de: 'Texte, einer pro Zeile' },
  expression: { en: 'Expression (RE2), for the whole cell', de: 'Ausdruck (RE2), für die ganze Zelle' },
  add: { en: 'Add a condition', de: 'Bedingung hinzufügen' },
  remove: { en: 'Remove', de: 'Entfernen' },
  removeOf: { en: 'Remove: {column}', de: 'Entfernen: {column}' },
});

type Filter = NonNullable<Document['skipRowsWhen']>[number];

interface SkipRowsProps {
  readonly filters: readonly Filter[];
  readonly sources: readonly string[];
  readonly onChange: (filters: Filter[]) => void;
}

export function SkipRows({ filters, sources, onChange }: SkipRowsProps) {
  const t = useText();
  const set = (at: number, filter: Filter) =>
    onChange(filters.map((before, index) => (index === at ? filter : before)));
  return (
    <Section
      title={t('title')}
      note={t('note')}
      actions={<Button onPress={() => onChange([...filters, { column: '', is: 'empty' }])}>{t('add')}</Button>}
    >
      {filters.map((filter, index) => {
        const { column, is } = filter;
        const kind = is === 'empty' ? 'empty' : is.equals === undefined ? 'matches' : 'equals';
        const first = { empty: 'empty', equals: { equals: [''] }, matches: { matches: '' } } as const;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions stand in their order; none is moved
          <div key={index} className="filters">
            <SuggestInput
              label={t('column')}
              value={column}
              known={sources}
              onChange={(typed) => set(index, { ...filter, column: typed })}
            />
            <ChoiceInput
              label={t('is')}
              value={kind}
              choices={(['empty', 'equals', 'matches'] as const).map((id) => ({ id, label: t(id) }))}
              onChange={(chosen) => set(index, { column, is: first[chosen] as Filter['is'] })}
            />
            {is !== 'empty' && kind === 'equals' ? (
              <LinesInput
                label={t('texts')}
                lines={is.equals ?? []}
                onChange={(equals) => set(index, { column, is: { equals } })}
              />
            ) : null}
            {is !== 'empty' && kind === 'matches' ? (
              <TextInput
                label={t('expression')}
                value={is.matches ?? ''}
                onChange={(matches) => set(index, { column, is: { matches } })}
              />
            ) : null}
            <Button
              kind="quiet"
              aria-label={t('removeOf', { column })}
              onPress={() => onChange(filters.filter((_, at) => at !== index))}
            >
              {t('remove')}
            </Button>
          </div>
        );
      })}
    </Section>
  );
}
