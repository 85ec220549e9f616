/** Which rows of a file a profile leaves out. */
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { textsOf } from '../../texts/texts.js';
import { type Condition, RowCondition } from './row-condition.js';

const useText = textsOf('profile-skip', {
  title: { en: 'Rows that are left out', de: 'Zeilen, die wegbleiben' },
  note: {
    en: 'A row is left out if one of these holds, such as a row of totals.',
    de: 'Eine Zeile bleibt weg, wenn eines davon gilt, etwa eine Summenzeile.',
  },
  add: { en: 'Add a condition', de: 'Bedingung hinzufügen' },
  remove: { en: 'Remove', de: 'Entfernen' },
  removeOf: { en: 'Remove: {column}', de: 'Entfernen: {column}' },
});

interface SkipRowsProps {
  readonly filters: readonly Condition[];
  readonly sources: readonly string[];
  readonly onChange: (filters: Condition[]) => void;
}

export function SkipRows({ filters, sources, onChange }: SkipRowsProps) {
  const t = useText();
  const set = (at: number, filter: Condition) =>
    onChange(filters.map((before, index) => (index === at ? filter : before)));
  return (
    <Section
      title={t('title')}
      note={t('note')}
      actions={<Button onPress={() => onChange([...filters, { column: '', is: 'empty' }])}>{t('add')}</Button>}
    >
      {filters.map((filter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions stand in their order; none is moved
        <div key={index} className="filters">
          <RowCondition condition={filter} sources={sources} onChange={(next) => set(index, next)} />
          <Button
            kind="quiet"
            aria-label={t('removeOf', { column: filter.column })}
            onPress={() => onChange(filters.filter((_, at) => at !== index))}
          >
            {t('remove')}
          </Button>
        </div>
      ))}
    </Section>
  );
}
