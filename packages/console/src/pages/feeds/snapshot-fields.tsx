/** Whether each file is the whole truth: within what, and what becomes of items that it lacks. */
import type { FieldProblems } from '../../components/field-problems.js';
import { RadioCards } from '../../components/radio-cards.js';
import { SuggestInput } from '../../components/suggest-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { useDefinitions } from '../catalog/use-attributes.js';
import { BRAKES, SCOPES, type SnapshotValues, WAYS } from './snapshot-values.js';

const useText = textsOf('feed-snapshot', {
  scope: { en: 'Is each file complete?', de: 'Ist jede Datei vollständig?' },
  none: { en: 'No: what it lacks stays', de: 'Nein: Was fehlt, bleibt' },
  feed: {
    en: 'Yes, of what this feed has brought',
    de: 'Ja, für das, was dieser Feed gebracht hat',
  },
  feedHelp: {
    en: 'Of several suppliers, each has files of their own items: those of others stay.',
    de: 'Von mehreren Lieferanten hat jeder Dateien mit eigenen Artikeln: Die der anderen bleiben.',
  },
  stage: { en: 'Yes, of all items', de: 'Ja, für alle Artikel' },
  category: { en: 'Yes, of a category', de: 'Ja, für eine Kategorie' },
  attribute: { en: 'Yes, of items with a value', de: 'Ja, für Artikel mit einem Wert' },
  other: { en: 'As it was saved by a program', de: 'Wie von einem Programm gespeichert' },
  categoryName: { en: 'Category', de: 'Kategorie' },
  categoryHelp: {
    en: 'Its path, such as Storage->Disks; all below it belong to it',
    de: 'Ihr Pfad, etwa Speicher->Platten; alle darunter gehören dazu',
  },
  attributeName: { en: 'Attribute', de: 'Attribut' },
  value: { en: 'Value', de: 'Wert' },
  missing: { en: 'What becomes of items that a file lacks?', de: 'Was wird aus Artikeln, die in einer Datei fehlen?' },
  delete: { en: 'They are deleted', de: 'Sie werden gelöscht' },
  set: { en: 'They get a value', de: 'Sie bekommen einen Wert' },
  clear: { en: 'Values are cleared', de: 'Werte werden geleert' },
  cleared: { en: 'Attributes that are cleared', de: 'Attribute, die geleert werden' },
  clearedHelp: { en: 'Names, separated by commas', de: 'Namen, durch Kommas getrennt' },
  maxPercent: {
    en: 'Remove nothing if more than so many percent would go',
    de: 'Nichts entfernen, wenn mehr Prozent weg wären als',
  },
  percentHelp: {
    en: 'A file that was cut short would delete most of the catalog otherwise. 100: no limit',
    de: 'Eine abgeschnittene Datei löschte sonst den halben Katalog. 100: keine Grenze',
  },
  maxMissing: {
    en: 'Remove nothing if more than so many items would go',
    de: 'Nichts entfernen, wenn mehr Artikel weg wären als',
  },
  minRows: {
    en: 'Remove nothing if a file has fewer rows',
    de: 'Nichts entfernen, wenn eine Datei weniger Zeilen hat als',
  },
  onBrake: { en: 'Past a limit', de: 'Über einer Grenze' },
  stop: { en: 'Nothing is removed', de: 'Nichts wird entfernt' },
  approve: { en: 'An approval decides', de: 'Eine Freigabe entscheidet' },
  minHelp: { en: 'Empty: no limit', de: 'Leer: keine Grenze' },
});

interface SnapshotFieldsProps {
  readonly values: SnapshotValues;
  readonly wrong: FieldProblems;
  readonly onChange: (change: Partial<SnapshotValues>) => void;
}

export function SnapshotFields({ values, wrong, onChange }: SnapshotFieldsProps) {
  const t = useText();
  const { data: definitions } = useDefinitions();
  const names = definitions?.attributes.map(({ name }) => name) ?? [];
  const { scope, missing } = values;
  const scopes = scope === 'other' ? [...SCOPES, scope] : SCOPES;
  const problems = [...wrong].filter(([path]) => path.startsWith('options.snapshot'));
  const named = (member: 'attribute' | 'setAttribute') => (
    <SuggestInput
      label={t('attributeName')}
      value={values[member]}
      known={names}
      onChange={(name) => onChange({ [member]: name })}
    />
  );
  const field = (
    member: 'category' | 'value' | 'setValue' | 'cleared' | 'maxPercent' | 'maxMissing' | 'minRows',
    label: string,
    help?: string,
  ) => (
    <TextInput
      label={label}
      help={help}
      value={values[member]}
      onChange={(text) => onChange({ [member]: text })}
      autoComplete="off"
    />
  );
  return (
    <>
      <RadioCards
        label={t('scope')}
        value={scope}
        choices={scopes.map((value) => ({
          value,
          label: t(value),
          ...(value === 'feed' ? { help: t('feedHelp') } : {}),
        }))}
        onChange={(value) => onChange({ scope: value as 'none' })}
      />
      {scope === 'category' ? field('category', t('categoryName'), t('categoryHelp')) : null}
      {scope === 'attribute' ? (
        <div className="field-grid">
          {named('attribute')}
          {field('value', t('value'))}
        </div>
      ) : null}
      {scope === 'none' || scope === 'other' ? null : (
        <>
          <RadioCards
            label={t('missing')}
            value={missing}
            choices={WAYS.map((value) => ({ value, label: t(value) }))}
            onChange={(value) => onChange({ missing: value as 'delete' })}
          />
          {missing === 'set' ? (
            <div className="field-grid">
              {named('setAttribute')}
              {field('setValue', t('value'))}
            </div>
          ) : null}
          {missing === 'clear' ? field('cleared', t('cleared'), t('clearedHelp')) : null}
          <div className="field-grid">
            {field('maxPercent', t('maxPercent'), t('percentHelp'))}
            {field('maxMissing', t('maxMissing'), t('minHelp'))}
            {field('minRows', t('minRows'), t('minHelp'))}
          </div>
          <RadioCards
            label={t('onBrake')}
            value={values.onBrake}
            choices={BRAKES.map((value) => ({ value, label: t(value) }))}
            onChange={(value) => onChange({ onBrake: value as 'stop' })}
          />
        </>
      )}
      {problems.map(([path, message]) => (
        <p key={path} className="field-error">
          {message}
        </p>
      ))}
    </>
  );
}
