/** The first rows as they were read, and how the file is written: one sees at once whether it was understood. */
import type { schemas } from '@longshore/client';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { Section } from '../../components/content.js';
import { later, useLater } from '../../components/later.js';
import { textsOf } from '../../texts/texts.js';
import type { SaidForm } from './reading-form.js';
import { useSheetNote } from './sheet-notes.js';

const readingForm = later(() => import('./reading-form.js'));

const useText = textsOf('sample-rows', {
  title: { en: 'The first rows, as they were read', de: 'Die ersten Zeilen, wie sie gelesen wurden' },
  rows: { en: '{count, plural, one {# row} other {# rows}}', de: '{count, plural, one {# Zeile} other {# Zeilen}}' },
  manyRows: { en: '1,000 rows and more', de: '1.000 Zeilen und mehr' },
  columns: {
    en: '{count, plural, one {# column} other {# columns}}',
    de: '{count, plural, one {# Spalte} other {# Spalten}}',
  },
  separated: { en: 'separated by {delimiter}', de: 'getrennt durch {delimiter}' },
  tab: { en: 'tab', de: 'Tabulator' },
  blank: { en: 'blank', de: 'Leerzeichen' },
  header: { en: 'header in row {row}', de: 'Kopfzeile ist Zeile {row}' },
  twoHeaders: { en: 'header in rows {above} and {row}', de: 'Kopfzeilen sind {above} und {row}' },
  sheet: { en: 'Sheet', de: 'Tabellenblatt' },
  rowPath: { en: 'rows at {path}', de: 'Zeilen unter {path}' },
  otherwise: { en: 'Read the file otherwise', de: 'Datei anders lesen' },
  row: { en: 'Row', de: 'Zeile' },
  odd: {
    en: '{count, plural, one {# value does} other {# values do}} not fit',
    de: '{count, plural, one {# Wert passt} other {# Werte passen}} nicht',
  },
});

const LONGEST = 60;
/** Rows of a sheet are counted no further. */
const MOST_COUNTED = 1_000;

interface SampleRowsProps {
  /** What only those see of a sheet who open it. */
  readonly notes: readonly string[];
  readonly inspection: schemas.FileInspection;
  readonly sheet: string | undefined;
  readonly onSheet: (sheet: string) => void;
  /** Undefined: a saved profile says how the file is written. */
  readonly onRead: ((said: SaidForm) => void) | undefined;
}

export function SampleRows({ notes, inspection, sheet, onSheet, onRead }: SampleRowsProps) {
  const t = useText();
  const inWords = useSheetNote();
  const [isOpen, setOpen] = useState(false);
  const loaded = useLater(readingForm);
  const { format: form, columns, rows, sample } = inspection;
  const named = form.delimiter?.value;
  const delimiter = named === '\t' ? t('tab') : named === ' ' ? t('blank') : named;
  const header = form.headerRow.value;
  const facts = [
    t('rows', { count: rows }),
    t('columns', { count: columns.length }),
    ...(form.encoding.value === null ? [] : [form.encoding.value]),
    ...(delimiter === null || delimiter === undefined ? [] : [t('separated', { delimiter })]),
    ...(header === null
      ? []
      : [form.headerRows === 2 ? t('twoHeaders', { above: header - 1, row: header }) : t('header', { row: header })]),
    ...(form.rowPath?.value == null ? [] : [t('rowPath', { path: form.rowPath.value })]),
  ];
  const sheets = form.sheets ?? [];
  return (
    <Section
      title={t('title')}
      note={facts.join(' · ')}
      actions={
        onRead === undefined || isOpen ? undefined : (
          <Button onPress={() => void readingForm.load().then(() => setOpen(true))}>{t('otherwise')}</Button>
        )
      }
    >
      {loaded === undefined || onRead === undefined || !isOpen ? null : (
        <loaded.ReadingForm form={form} onRead={onRead} onClose={() => setOpen(false)} />
      )}
      {sheets.length > 1 ? (
        <div className="filters">
          <ChoiceInput
            label={t('sheet')}
            value={sheet ?? form.sheet ?? ''}
            choices={sheets.map(({ name, rows: count }) => ({
              id: name,
              label: `${name} (${count < MOST_COUNTED ? t('rows', { count }) : t('manyRows')})`,
            }))}
            onChange={onSheet}
          />
        </div>
      ) : null}
      {notes.length === 0 ? null : (
        <ul className="said">
          {notes.map((note) => (
            <li key={note}>{inWords(note)}</li>
          ))}
        </ul>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className="table-scroll" aria-label={t('title')} tabIndex={0}>
        <table className="table dense sample-table">
          <caption className="unseen">{t('title')}</caption>
          <thead>
            <tr>
              <th scope="col" className="number">
                {t('row')}
              </th>
              {columns.map(({ index, name, counterExampleCount }) => (
                <th key={index} scope="col">
                  <bdi>{name}</bdi>
                  {counterExampleCount === 0 ? null : (
                    <span className="odd">{t('odd', { count: counterExampleCount })}</span>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sample.map(({ row, cells }) => (
              <tr key={row}>
                <th scope="row" className="number">
                  {row}
                </th>
                {columns.map(({ index }) => {
                  const cell = cells[index] ?? '';
                  return (
                    <td key={index}>
                      <bdi>{cell.length > LONGEST ? `${cell.slice(0, LONGEST)}…` : cell}</bdi>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}
