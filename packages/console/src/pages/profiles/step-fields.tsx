/** The fields of one conversion. */
import { ChoiceInput } from '../../components/choice-input.js';
import { TextAreaInput } from '../../components/text-area.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { linesOf, meant, type Step, visible } from './draft.js';
import { LinesInput } from './lines-input.js';
import { fitsLines, tableOf, textOfTable } from './replace-table.js';

const useText = textsOf('profile-step-fields', {
  to: { en: 'To', de: 'In' },
  upper: { en: 'CAPITALS', de: 'GROSSBUCHSTABEN' },
  lower: { en: 'small letters', de: 'kleinbuchstaben' },
  titleCase: { en: 'Capital At Each Word', de: 'Jedes Wort Groß' },
  table: { en: 'What a cell holds => by what it is replaced', de: 'Was eine Zelle enthält => wodurch es ersetzt wird' },
  tableHelp: {
    en: 'One on each line. Two columns of a spreadsheet can be pasted.',
    de: 'Eines pro Zeile. Zwei Spalten einer Tabelle können eingefügt werden.',
  },
  tableFixed: {
    en: 'This table has texts with arrows or line ends: change it by the API.',
    de: 'Diese Tabelle enthält Texte mit Pfeilen oder Zeilenenden: Ändern Sie sie über die API.',
  },
  otherwise: { en: 'What is not in the table', de: 'Was nicht in der Tabelle steht' },
  fail: { en: 'fails', de: 'schlägt fehl' },
  keep: { en: 'stays', de: 'bleibt' },
  empty: { en: 'becomes empty', de: 'wird leer' },
  text: { en: 'Text', de: 'Text' },
  units: { en: 'Units, one on each line', de: 'Einheiten, eine pro Zeile' },
  decimal: { en: 'Decimal sign', de: 'Dezimalzeichen' },
  thousands: { en: 'Between thousands', de: 'Zwischen Tausendern' },
  point: { en: 'point', de: 'Punkt' },
  comma: { en: 'comma', de: 'Komma' },
  space: { en: 'space', de: 'Leerzeichen' },
  apostrophe: { en: 'apostrophe', de: 'Apostroph' },
  nothing: { en: 'nothing', de: 'nichts' },
  currency: { en: 'Currencies, one on each line', de: 'Währungen, eine pro Zeile' },
  formats: { en: 'Formats, one on each line', de: 'Formate, eines pro Zeile' },
  formatsHelp: {
    en: 'Such as dd.MM.yyyy; they are tried in this order',
    de: 'Etwa dd.MM.yyyy; sie werden der Reihe nach versucht',
  },
  yes: { en: 'Words for yes, one on each line', de: 'Wörter für Ja, eines pro Zeile' },
  no: { en: 'Words for no, one on each line', de: 'Wörter für Nein, eines pro Zeile' },
  separator: { en: 'What is between', de: 'Was dazwischen steht' },
  separatorHelp: { en: '\\n is a line end, \\t a tab', de: '\\n ist ein Zeilenende, \\t ein Tabulator' },
  root: { en: 'Below this category', de: 'Unter dieser Kategorie' },
  value: { en: 'Value', de: 'Wert' },
});

const THOUSANDS = { point: '.', comma: ',', space: ' ', apostrophe: "'", nothing: '' } as const;

interface StepFieldsProps {
  readonly step: Step;
  readonly onChange: (step: Step) => void;
}

export function StepFields({ step, onChange }: StepFieldsProps) {
  const t = useText();
  switch (step.step) {
    case 'case':
      return (
        <ChoiceInput
          label={t('to')}
          value={step.to}
          choices={(['upper', 'lower', 'title'] as const).map((id) => ({
            id,
            label: t(id === 'title' ? 'titleCase' : id),
          }))}
          onChange={(to) => onChange({ ...step, to })}
        />
      );
    case 'replace':
      return <ReplaceFields step={step} onChange={onChange} />;
    case 'prefix':
    case 'suffix':
      return (
        <TextInput
          label={t('text')}
          value={visible(step.text)}
          onChange={(text) => onChange({ ...step, text: meant(text) })}
        />
      );
    case 'removeUnit':
      return <LinesInput label={t('units')} lines={step.units} onChange={(units) => onChange({ ...step, units })} />;
    case 'number':
      return <NumberFields step={step} onChange={onChange} />;
    case 'date':
      return (
        <LinesInput
          label={t('formats')}
          help={t('formatsHelp')}
          lines={step.formats}
          onChange={(formats) => onChange({ ...step, formats })}
        />
      );
    case 'boolean':
      return (
        <>
          <LinesInput label={t('yes')} lines={step.true} onChange={(words) => onChange({ ...step, true: words })} />
          <LinesInput label={t('no')} lines={step.false} onChange={(words) => onChange({ ...step, false: words })} />
        </>
      );
    case 'list':
    case 'path':
      return (
        <>
          <TextInput
            label={t('separator')}
            help={t('separatorHelp')}
            value={visible(step.separator)}
            onChange={(separator) => onChange({ ...step, separator: meant(separator) })}
          />
          {step.step === 'path' ? (
            <TextInput
              label={t('root')}
              value={step.root ?? ''}
              onChange={(root) => {
                const { root: _, ...others } = step;
                onChange(root === '' ? others : { ...others, root });
              }}
            />
          ) : null}
        </>
      );
    case 'default':
      return <TextInput label={t('value')} value={step.value} onChange={(value) => onChange({ ...step, value })} />;
    default:
      return null;
  }
}

type Of<N extends Step['step']> = Extract<Step, { step: N }>;

function ReplaceFields({ step, onChange }: { readonly step: Of<'replace'>; readonly onChange: (step: Step) => void }) {
  const t = useText();
  return (
    <>
      {fitsLines(step.table) ? (
        <LinesInput
          label={t('table')}
          help={t('tableHelp')}
          lines={linesOf(textOfTable(step.table))}
          onChange={(lines) => onChange({ ...step, table: tableOf(lines.join('\n')) })}
        />
      ) : (
        <TextAreaInput
          isCode
          isReadOnly
          label={t('table')}
          help={t('tableFixed')}
          value={JSON.stringify(step.table, null, 2)}
        />
      )}
      <ChoiceInput
        label={t('otherwise')}
        value={step.otherwise ?? 'fail'}
        choices={(['fail', 'keep', 'empty'] as const).map((id) => ({ id, label: t(id) }))}
        onChange={(otherwise) => onChange({ ...step, otherwise })}
      />
    </>
  );
}

function NumberFields({ step, onChange }: { readonly step: Of<'number'>; readonly onChange: (step: Step) => void }) {
  const t = useText();
  const kinds = Object.keys(THOUSANDS) as (keyof typeof THOUSANDS)[];
  const between = kinds.find((kind) => THOUSANDS[kind] === (step.thousands ?? '')) ?? 'nothing';
  return (
    <>
      <ChoiceInput
        label={t('decimal')}
        value={step.decimal === ',' ? 'comma' : 'point'}
        choices={(['comma', 'point'] as const).map((id) => ({ id, label: t(id) }))}
        onChange={(kind) => {
          const decimal = THOUSANDS[kind];
          // One sign cannot be both.
          const { thousands: _, ...others } = step;
          onChange(step.thousands === decimal ? { ...others, decimal } : { ...step, decimal });
        }}
      />
      <ChoiceInput
        label={t('thousands')}
        value={between}
        choices={kinds.filter((kind) => THOUSANDS[kind] !== step.decimal).map((id) => ({ id, label: t(id) }))}
        onChange={(kind) => {
          const { thousands: _, ...others } = step;
          onChange(kind === 'nothing' ? others : { ...others, thousands: THOUSANDS[kind] });
        }}
      />
      <LinesInput
        label={t('currency')}
        lines={step.currency ?? []}
        onChange={(currency) => {
          const { currency: _, ...others } = step;
          onChange(currency.length === 0 ? others : { ...others, currency });
        }}
      />
    </>
  );
}
