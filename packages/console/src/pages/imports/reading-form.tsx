/** Says how a file is written where it was found out wrongly. */
import type { schemas } from '@longshore/client';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { SuggestInput } from '../../components/suggest-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';

const useText = textsOf('reading-form', {
  note: {
    en: 'Only what you change is taken from here; the rest is found in the file. The columns, and the questions about them, follow from it.',
    de: 'Nur was Sie ändern, gilt; das Übrige wird in der Datei gesucht. Die Spalten und die Fragen dazu ergeben sich daraus.',
  },
  encoding: { en: 'Encoding', de: 'Zeichensatz' },
  encodingHelp: {
    en: 'Wrong if letters such as ä or é look strange below.',
    de: 'Falsch, wenn Buchstaben wie ä oder é unten seltsam aussehen.',
  },
  delimiter: { en: 'Between the columns', de: 'Zwischen den Spalten' },
  tab: { en: 'tab', de: 'Tabulator' },
  blank: { en: 'blank', de: 'Leerzeichen' },
  headerRow: { en: 'Row with the names of the columns', de: 'Zeile mit den Namen der Spalten' },
  headerRowHelp: {
    en: 'Counted from 1, with titles and blank rows above it.',
    de: 'Von 1 an gezählt, mit Titeln und leeren Zeilen darüber.',
  },
  lowerRowHelp: {
    en: 'The lower one of both rows, counted from 1, with titles and blank rows above it.',
    de: 'Die untere der beiden Zeilen, von 1 an gezählt, mit Titeln und leeren Zeilen darüber.',
  },
  noRow: { en: 'Write the number of a row, from 1.', de: 'Schreiben Sie die Nummer einer Zeile, von 1 an.' },
  noRowAbove: {
    en: 'Of two rows this is the lower one: 2 or more.',
    de: 'Von zwei Zeilen ist das die untere: 2 oder mehr.',
  },
  headerRows: { en: 'The names stand in', de: 'Die Namen stehen in' },
  oneRow: { en: 'one row', de: 'einer Zeile' },
  twoRows: { en: 'two rows, the upper one with groups', de: 'zwei Zeilen, die obere mit Gruppen' },
  rowPath: { en: 'Where the rows are', de: 'Wo die Zeilen stehen' },
  rowPathHelp: { en: 'Such as catalog/product', de: 'Etwa catalog/product' },
  read: { en: 'Read it like this', de: 'So lesen' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
});

const SIGNS = [';', ',', '|', '\t', ' '] as const;
const ENCODINGS = [
  ...['utf-8', 'windows-1252', 'windows-1250', 'windows-1251', 'iso-8859-1', 'iso-8859-2', 'iso-8859-15'],
  ...['utf-16le', 'shift_jis', 'gb18030', 'big5'],
];

type Form = schemas.FileInspection['format'];

/** What of the form of a file was said, as an address has it. */
export interface SaidForm {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly headerRow?: string;
  readonly headerRows?: string;
  readonly rowPath?: string;
}

interface ReadingFormProps {
  readonly form: Form;
  readonly onRead: (said: SaidForm) => void;
  readonly onClose: () => void;
}

export function ReadingForm({ form, onRead, onClose }: ReadingFormProps) {
  const t = useText();
  const [found] = useState(() => foundIn(form));
  const { fileId } = useParams({ from: '/$stage/imports/new/$fileId' });
  const typed = useTyped<typeof found>(`reading.${fileId}`, found);
  const { values, set } = typed;
  const isNested = form.rowPath !== null;
  const isText = form.delimiter !== null;
  const isTwo = values.headerRows === '2';
  const isRow = isNested || /^[1-9]\d{0,4}$/.test(values.headerRow);
  const rowError = !isRow ? t('noRow') : isTwo && values.headerRow === '1' ? t('noRowAbove') : undefined;
  const said = saidIn(found, values);
  const read = () => {
    if (rowError !== undefined || said === undefined) return;
    typed.forget();
    onRead(said);
    onClose();
  };
  const nameOf = (sign: string) => (sign === '\t' ? t('tab') : sign === ' ' ? t('blank') : sign);
  const signs = [...new Set<string>([...SIGNS, values.delimiter])].filter((sign) => sign !== '');
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        read();
      }}
    >
      <p className="note">{t('note')}</p>
      <div className="option-grid">
        {isText || isNested ? (
          <SuggestInput
            label={t('encoding')}
            help={t('encodingHelp')}
            value={values.encoding}
            known={ENCODINGS}
            onChange={(encoding) => set({ encoding })}
          />
        ) : null}
        {isText ? (
          <ChoiceInput
            label={t('delimiter')}
            value={values.delimiter}
            choices={signs.map((id) => ({ id, label: nameOf(id) }))}
            onChange={(delimiter) => set({ delimiter })}
          />
        ) : null}
        {isNested ? (
          <TextInput
            label={t('rowPath')}
            help={t('rowPathHelp')}
            value={values.rowPath}
            onChange={(rowPath) => set({ rowPath })}
          />
        ) : (
          <>
            <ChoiceInput
              label={t('headerRows')}
              value={values.headerRows}
              choices={[
                { id: '1', label: t('oneRow') },
                { id: '2', label: t('twoRows') },
              ]}
              // The row that was taken for the header has nothing above it: it is the upper one.
              onChange={(rows) =>
                set({ headerRows: rows, ...(rows === '2' && values.headerRow === '1' ? { headerRow: '2' } : {}) })
              }
            />
            <TextInput
              label={t('headerRow')}
              help={t(isTwo ? 'lowerRowHelp' : 'headerRowHelp')}
              type="number"
              value={values.headerRow}
              error={rowError}
              onChange={(headerRow) => set({ headerRow })}
            />
          </>
        )}
      </div>
      <div className="actions">
        <Button type="submit" isDisabled={rowError !== undefined || said === undefined} onPress={read}>
          {t('read')}
        </Button>
        <Button kind="quiet" onPress={typed.forgetAnd(onClose)}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  );
}

function foundIn({ encoding, delimiter, headerRow, headerRows, rowPath }: Form) {
  const row = headerRow.value ?? headerRow.rivals[0] ?? 1;
  return {
    encoding: encoding.value ?? '',
    delimiter: delimiter?.value ?? '',
    headerRow: String(row),
    headerRows: String(headerRows),
    rowPath: rowPath?.value ?? '',
  };
}

/** What differs from what was found, so that other questions stay open; undefined: nothing does. */
function saidIn(found: ReturnType<typeof foundIn>, values: ReturnType<typeof foundIn>): SaidForm | undefined {
  const changed = (['encoding', 'delimiter', 'rowPath'] as const).filter(
    (member) => values[member].trim() !== found[member] && values[member] !== '',
  );
  // How many rows a header has says nothing without its row.
  const hasOtherHeader = values.headerRow !== found.headerRow || values.headerRows !== found.headerRows;
  if (changed.length === 0 && !hasOtherHeader) return undefined;
  const { headerRow, headerRows } = values;
  return {
    ...Object.fromEntries(
      changed.map((member) => [member, member === 'delimiter' ? values[member] : values[member].trim()]),
    ),
    ...(hasOtherHeader ? { headerRow, headerRows } : {}),
  };
}
