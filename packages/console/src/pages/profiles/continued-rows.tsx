/** Which rows of a file continue the one above them, and what is collected of them. */
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { SuggestInput } from '../../components/suggest-input.js';
import { textsOf } from '../../texts/texts.js';
import { type Document, withoutEmpty } from './draft.js';
import { RowCondition } from './row-condition.js';

const useText = textsOf('profile-continued', {
  title: { en: 'Rows that continue the row above', de: 'Zeilen, die die Zeile darüber fortsetzen' },
  note: {
    en: 'Some files write what an item has several of in rows below it, such as further images. The row above gets all values in one cell, one on each line, and its rule divides them. The preview shows it.',
    de: 'Manche Dateien schreiben, wovon ein Artikel mehrere hat, in Zeilen darunter, etwa weitere Bilder. Die Zeile darüber bekommt alle Werte in einer Zelle, einen pro Zeile, und ihre Regel teilt sie. Die Vorschau zeigt es.',
  },
  join: { en: 'Join rows', de: 'Zeilen verbinden' },
  stop: { en: 'Do not join rows', de: 'Zeilen nicht verbinden' },
  when: { en: 'A row continues the one above if this holds', de: 'Eine Zeile setzt die darüber fort, wenn dies gilt' },
  same: { en: 'Both rows have the same text in', de: 'Beide Zeilen haben denselben Text in' },
  sameHelp: { en: 'Empty: whatever stands above', de: 'Leer: was immer darüber steht' },
  collected: { en: 'What is collected', de: 'Was gesammelt wird' },
  collectedNote: {
    en: 'Without numbers to order them by, the values stand as the rows do.',
    de: 'Ohne Zahlen, nach denen sie geordnet werden, stehen die Werte wie die Zeilen.',
  },
  column: { en: 'Values of the column', de: 'Werte der Spalte' },
  orderBy: { en: 'Ordered by the numbers in', de: 'Geordnet nach den Zahlen in' },
  add: { en: 'Collect another column', de: 'Weitere Spalte sammeln' },
  remove: { en: 'Remove', de: 'Entfernen' },
  removeOf: { en: 'Do not collect: {column}', de: 'Nicht sammeln: {column}' },
});

type Continuation = NonNullable<Document['continuationRows']>;
type Collected = Continuation['collect'][number];

const FIRST: Continuation = { when: { column: '', is: 'empty' }, collect: [{ column: '' }] };

interface ContinuedRowsProps {
  /** Undefined: no row continues another one. */
  readonly continuation: Continuation | undefined;
  readonly sources: readonly string[];
  readonly onChange: (continuation: Continuation | undefined) => void;
}

export function ContinuedRows({ continuation, sources, onChange }: ContinuedRowsProps) {
  const t = useText();
  if (continuation === undefined) {
    return (
      <Section
        title={t('title')}
        note={t('note')}
        actions={<Button onPress={() => onChange(FIRST)}>{t('join')}</Button>}
      >
        {null}
      </Section>
    );
  }
  const { when, same = '', collect } = continuation;
  const change = (changed: Partial<Continuation>) => onChange(withoutEmpty({ ...continuation, ...changed }));
  const set = (at: number, one: Collected) =>
    change({ collect: collect.map((before, index) => (index === at ? withoutEmpty(one) : before)) });
  return (
    <Section
      title={t('title')}
      note={t('note')}
      actions={<Button onPress={() => onChange(undefined)}>{t('stop')}</Button>}
    >
      <h3>{t('when')}</h3>
      <div className="option-grid">
        <RowCondition condition={when} sources={sources} onChange={(next) => change({ when: next })} />
        <SuggestInput
          label={t('same')}
          help={t('sameHelp')}
          value={same}
          known={sources}
          onChange={(typed) => change({ same: typed })}
        />
      </div>
      <h3>{t('collected')}</h3>
      <p className="note">{t('collectedNote')}</p>
      {collect.map(({ column, orderBy = '' }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they stand in their order; none is moved
        <div key={index} className="filters">
          <SuggestInput
            label={t('column')}
            value={column}
            known={sources}
            onChange={(typed) => set(index, { column: typed, orderBy })}
          />
          <SuggestInput
            label={t('orderBy')}
            value={orderBy}
            known={sources}
            onChange={(typed) => set(index, { column, orderBy: typed })}
          />
          {collect.length === 1 ? null : (
            <Button
              kind="quiet"
              aria-label={t('removeOf', { column })}
              onPress={() => change({ collect: collect.filter((_, at) => at !== index) })}
            >
              {t('remove')}
            </Button>
          )}
        </div>
      ))}
      <Button onPress={() => change({ collect: [...collect, { column: '' }] })}>{t('add')}</Button>
    </Section>
  );
}
