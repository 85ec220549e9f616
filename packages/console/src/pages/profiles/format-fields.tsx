/** How the files of a profile are written, and what is done with rows and columns that it does not name. */

import { ChoiceInput } from '../../components/choice-input.js';
import { Section } from '../../components/content.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { type Document, type Format, visible, withoutEmpty } from './draft.js';

const useText = textsOf('profile-format', {
  title: { en: 'The file', de: 'Die Datei' },
  note: { en: 'What is left empty is found in each file.', de: 'Was leer bleibt, wird in jeder Datei gesucht.' },
  encoding: { en: 'Encoding', de: 'Zeichensatz' },
  encodingHelp: { en: 'Such as windows-1252', de: 'Etwa windows-1252' },
  delimiter: { en: 'Between the columns', de: 'Zwischen den Spalten' },
  found: { en: 'found in the file', de: 'wird in der Datei gesucht' },
  tab: { en: 'tab', de: 'Tabulator' },
  quote: { en: 'Around cells', de: 'Um Zellen' },
  double: { en: 'double quotes "', de: 'Anführungszeichen "' },
  single: { en: "single quotes '", de: "einfache Anführungszeichen '" },
  escaped: { en: 'double quotes ", within cells as \\"', de: 'Anführungszeichen ", in Zellen als \\"' },
  noQuote: { en: 'nothing', de: 'nichts' },
  headerRow: { en: 'Row of the header', de: 'Zeile der Überschriften' },
  headerRows: { en: 'The header has', de: 'Die Überschriften haben' },
  oneRow: { en: 'one row', de: 'eine Zeile' },
  twoRows: { en: 'two rows, the upper one with groups', de: 'zwei Zeilen, die obere mit Gruppen' },
  skipFirst: { en: 'Rows to leave out after it', de: 'Zeilen, die danach wegbleiben' },
  skipLast: { en: 'Rows to leave out at the end', de: 'Zeilen, die am Ende wegbleiben' },
  sheet: { en: 'Sheet of a workbook', de: 'Blatt einer Arbeitsmappe' },
  rowPath: { en: 'Where the rows of JSON or XML are', de: 'Wo die Zeilen in JSON oder XML stehen' },
  unknown: { en: 'Columns that it does not name', de: 'Spalten, die es nicht nennt' },
  ignore: { en: 'are ignored', de: 'werden ignoriert' },
  warn: { en: 'are a warning', de: 'sind eine Warnung' },
  fail: { en: 'reject the file', de: 'lassen die Datei ablehnen' },
});

const SIGNS = [';', ',', '|'] as const;
const TAB = '\t';

interface FormatFieldsProps {
  readonly document: Document;
  readonly onChange: (document: Document) => void;
}

export function FormatFields({ document, onChange }: FormatFieldsProps) {
  const t = useText();
  const { format = {} } = document;
  const set = (change: Partial<Format>) => {
    const { quote, ...others } = { ...format, ...change };
    // An empty text says of quotes that there are none.
    onChange({ ...document, format: { ...withoutEmpty(others), ...(quote === undefined ? {} : { quote }) } });
  };
  const other = format.delimiter === undefined || [...SIGNS, TAB].some((sign) => sign === format.delimiter);
  const number = (key: 'headerRow' | 'skipFirst' | 'skipLast') => (
    <TextInput
      label={t(key)}
      type="number"
      value={format[key] === undefined ? '' : String(format[key])}
      onChange={(text) => set({ [key]: text === '' ? undefined : Number(text) } as Partial<Format>)}
    />
  );
  const text = (key: 'encoding' | 'sheet' | 'rowPath', help?: string) => (
    <TextInput label={t(key)} help={help} value={format[key] ?? ''} onChange={(typed) => set({ [key]: typed })} />
  );
  return (
    <Section title={t('title')} note={t('note')}>
      <div className="option-grid">
        {text('encoding', t('encodingHelp'))}
        <ChoiceInput
          label={t('delimiter')}
          value={format.delimiter ?? ''}
          choices={[
            { id: '', label: t('found') },
            ...SIGNS.map((id) => ({ id: id as string, label: id })),
            { id: TAB, label: t('tab') },
            ...(other ? [] : [{ id: format.delimiter ?? '', label: visible(format.delimiter ?? '') }]),
          ]}
          onChange={(delimiter) => set({ delimiter })}
        />
        <ChoiceInput
          label={t('quote')}
          value={
            format.escape !== undefined
              ? 'escaped'
              : format.quote === undefined
                ? 'double'
                : format.quote === "'"
                  ? 'single'
                  : format.quote === ''
                    ? 'noQuote'
                    : 'double'
          }
          choices={(['double', 'escaped', 'single', 'noQuote'] as const).map((id) => ({ id, label: t(id) }))}
          onChange={(kind) => {
            const { quote: _, escape: __, ...others } = format;
            if (kind === 'escaped') return onChange({ ...document, format: { ...others, escape: '\\' } });
            const quote = kind === 'single' ? "'" : '';
            onChange({ ...document, format: kind === 'double' ? others : { ...others, quote } });
          }}
        />
        {number('headerRow')}
        <ChoiceInput
          label={t('headerRows')}
          value={format.headerRows === 2 ? 'twoRows' : 'oneRow'}
          choices={(['oneRow', 'twoRows'] as const).map((id) => ({ id, label: t(id) }))}
          onChange={(rows) => set({ headerRows: rows === 'twoRows' ? 2 : undefined } as Partial<Format>)}
        />
        {number('skipFirst')}
        {number('skipLast')}
        {text('sheet')}
        {text('rowPath')}
        <ChoiceInput
          label={t('unknown')}
          value={document.unknownColumns ?? 'warn'}
          choices={(['warn', 'ignore', 'fail'] as const).map((id) => ({ id, label: t(id) }))}
          onChange={(unknownColumns) => onChange({ ...document, unknownColumns })}
        />
      </div>
    </Section>
  );
}
