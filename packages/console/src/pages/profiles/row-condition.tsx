/** A condition by which rows of a file are known: what a cell of them is. */
import { ChoiceInput } from '../../components/choice-input.js';
import { SuggestInput } from '../../components/suggest-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import type { Document } from './draft.js';
import { LinesInput } from './lines-input.js';

const useText = textsOf('row-condition', {
  column: { en: 'Column of the file', de: 'Spalte der Datei' },
  is: { en: 'Its cell', de: 'Ihre Zelle' },
  empty: { en: 'is empty', de: 'ist leer' },
  equals: { en: 'is one of these texts', de: 'ist einer dieser Texte' },
  matches: { en: 'matches an expression', de: 'passt auf einen Ausdruck' },
  texts: { en: 'Texts, one on each line', de: 'Texte, einer pro Zeile' },
  expression: { en: 'Expression (RE2), for the whole cell', de: 'Ausdruck (RE2), für die ganze Zelle' },
});

export type Condition = NonNullable<Document['skipRowsWhen']>[number];

const KINDS = ['empty', 'equals', 'matches'] as const;
const FIRST = { empty: 'empty', equals: { equals: [''] }, matches: { matches: '' } } as const;

interface RowConditionProps {
  readonly condition: Condition;
  readonly sources: readonly string[];
  readonly onChange: (condition: Condition) => void;
}

export function RowCondition({ condition, sources, onChange }: RowConditionProps) {
  const t = useText();
  const { column, is } = condition;
  const kind = is === 'empty' ? 'empty' : is.equals === undefined ? 'matches' : 'equals';
  return (
    <>
      <SuggestInput
        label={t('column')}
        value={column}
        known={sources}
        onChange={(typed) => onChange({ ...condition, column: typed })}
      />
      <ChoiceInput
        label={t('is')}
        value={kind}
        choices={KINDS.map((id) => ({ id, label: t(id) }))}
        onChange={(chosen) => onChange({ column, is: FIRST[chosen] as Condition['is'] })}
      />
      {is !== 'empty' && kind === 'equals' ? (
        <LinesInput
          label={t('texts')}
          lines={is.equals ?? []}
          onChange={(equals) => onChange({ column, is: { equals } })}
        />
      ) : null}
      {is !== 'empty' && kind === 'matches' ? (
        <TextInput
          label={t('expression')}
          value={is.matches ?? ''}
          onChange={(matches) => onChange({ column, is: { matches } })}
        />
      ) : null}
    </>
  );
}
