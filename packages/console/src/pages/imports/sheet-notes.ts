/** What an inspection tells of a sheet in sentences of the API, in the language of the page. */
import { textsOf } from '../../texts/texts.js';
import { partsOfNote } from './sheet-sentences.js';

const useText = textsOf('sheet-notes', {
  hiddenRow: {
    en: 'Row {row} is hidden in the sheet. Hidden rows are imported like the others.',
    de: 'Zeile {row} ist im Tabellenblatt ausgeblendet. Ausgeblendete Zeilen werden wie die anderen importiert.',
  },
  hiddenRows: {
    en: '{count, plural, other {# rows}} are hidden in the sheet, the first is row {row}. Hidden rows are imported like the others.',
    de: '{count, plural, other {# Zeilen}} sind im Tabellenblatt ausgeblendet, die erste ist Zeile {row}. Ausgeblendete Zeilen werden wie die anderen importiert.',
  },
  hiddenColumns: {
    en: 'Hidden columns are read like the others: {names}.',
    de: 'Ausgeblendete Spalten werden wie die anderen gelesen: {names}.',
  },
  more: { en: '{names} and {count, plural, other {#}} more', de: '{names} und {count, plural, other {#}} weitere' },
  mergedRow: {
    en: 'Cells are merged in row {row}: the value is in the first cell, and the others are empty.',
    de: 'In Zeile {row} sind Zellen verbunden: Der Wert steht in der ersten Zelle, die anderen sind leer.',
  },
  mergedRows: {
    en: 'Cells are merged in {count, plural, other {# places}}, first in row {row}: the value is in the first cell of each, and the others are empty.',
    de: 'An {count, plural, other {# Stellen}} sind Zellen verbunden, zuerst in Zeile {row}: Der Wert steht jeweils in der ersten Zelle, die anderen sind leer.',
  },
});

export function useSheetNote(): (note: string) => string {
  const t = useText();
  return (note) => {
    const parts = partsOfNote(note);
    if (parts === undefined) return note;
    const { row, count, names, more } = parts.values;
    const listed = more === undefined ? names : t('more', { names: names ?? '', count: Number(more) });
    return t(parts.key, { row: row ?? '', count: Number(count), names: listed ?? '' });
  };
}
