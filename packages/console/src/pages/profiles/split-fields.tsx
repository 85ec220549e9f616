/** Which part of a cell a rule reads. */
import { ChoiceInput } from '../../components/choice-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { meant, type Rule, visible } from './draft.js';

const useText = textsOf('profile-split', {
  what: { en: 'How much of the cell', de: 'Wie viel von der Zelle' },
  whole: { en: 'all of it', de: 'alles' },
  part: { en: 'one of several parts', de: 'einer von mehreren Teilen' },
  place: { en: 'some characters', de: 'einige Zeichen' },
  separator: { en: 'What is between the parts', de: 'Was zwischen den Teilen steht' },
  number: { en: 'Which part, from 1', de: 'Welcher Teil, ab 1' },
  start: { en: 'First character, from 1', de: 'Erstes Zeichen, ab 1' },
  end: { en: 'Last character; empty: to the end', de: 'Letztes Zeichen; leer: bis zum Ende' },
});

interface SplitFieldsProps {
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
}

export function SplitFields({ rule, onChange }: SplitFieldsProps) {
  const t = useText();
  const { split, ...whole } = rule;
  if (rule.to === null) return null;
  const kind = split === undefined ? 'whole' : split.start === undefined ? 'part' : 'place';
  const first = { whole: undefined, part: { separator: '-', part: 1 }, place: { start: 1 } } as const;
  return (
    <>
      <ChoiceInput
        label={t('what')}
        value={kind}
        choices={(['whole', 'part', 'place'] as const).map((id) => ({ id, label: t(id) }))}
        onChange={(chosen) => {
          const next = first[chosen];
          onChange(next === undefined ? whole : { ...whole, split: { ...next } });
        }}
      />
      {kind === 'part' ? (
        <>
          <TextInput
            label={t('separator')}
            value={visible(split?.separator ?? '')}
            onChange={(text) => onChange({ ...rule, split: { ...split, separator: meant(text) } })}
          />
          <TextInput
            label={t('number')}
            type="number"
            value={String(split?.part ?? '')}
            onChange={(text) => onChange({ ...rule, split: { ...split, part: Number(text) } })}
          />
        </>
      ) : null}
      {kind === 'place' ? (
        <>
          <TextInput
            label={t('start')}
            type="number"
            value={String(split?.start ?? '')}
            onChange={(text) => onChange({ ...rule, split: { ...split, start: Number(text) } })}
          />
          <TextInput
            label={t('end')}
            type="number"
            value={String(split?.end ?? '')}
            onChange={(text) => {
              const { end: _, ...others } = split ?? {};
              onChange({ ...rule, split: text === '' ? others : { ...others, end: Number(text) } });
            }}
          />
        </>
      ) : null}
    </>
  );
}
