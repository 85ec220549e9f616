/** What a question about a file asks, and what an answer to it means, in the language that is shown. */
import { textsOf } from '../../texts/texts.js';
import { inWords } from '../catalog/category-tree.js';
import type { Asked } from './mapping.js';

const useText = textsOf('reading-words', {
  kind: {
    en: 'This looks like a file of {kind}. Is each of its rows {what} all the same?',
    de: 'Das sieht nach einer Datei mit {kind} aus. Ist trotzdem jede ihrer Zeilen {what}?',
  },
  items: { en: 'items', de: 'Artikeln' },
  stock: { en: 'stock alone', de: 'Beständen allein' },
  prices: { en: 'prices alone', de: 'Preisen allein' },
  categories: { en: 'categories', de: 'Kategorien' },
  attributes: { en: 'attributes', de: 'Attributen' },
  orders: { en: 'orders', de: 'Bestellungen' },
  googleFeed: { en: 'products for Google', de: 'Produkten für Google' },
  unknown: { en: 'an unknown kind', de: 'unbekanntem Inhalt' },
  anItem: { en: 'an item', de: 'ein Artikel' },
  aBundle: { en: 'a bundle', de: 'ein Set' },
  anAttribute: { en: 'an attribute', de: 'ein Attribut' },
  aCategory: { en: 'a category', de: 'eine Kategorie' },
  isKind: {
    en: 'Yes: each row is {what}, and empty cells change nothing',
    de: 'Ja: Jede Zeile ist {what}, und leere Zellen ändern nichts',
  },
  category: {
    en: 'In which category are new items created?',
    de: 'In welcher Kategorie werden neue Artikel angelegt?',
  },
  noCategory: {
    en: 'None: all items exist already, rows of others fail',
    de: 'In keiner: Alle Artikel gibt es schon, andere Zeilen schlagen fehl',
  },
  newCategory: { en: 'In the new category “{value}”', de: 'In der neuen Kategorie „{value}“' },
  inCategory: { en: 'In the category “{value}”', de: 'In der Kategorie „{value}“' },
  categoryColumn: {
    en: 'Which column says in which category an item is?',
    de: 'Welche Spalte sagt, in welcher Kategorie ein Artikel ist?',
  },
  column: { en: 'The column “{value}”', de: 'Die Spalte „{value}“' },
  several: {
    en: 'Cells of “{column}” have several categories, and an item is in one. Is the first one enough?',
    de: 'Zellen von „{column}“ haben mehrere Kategorien, und ein Artikel ist in einer. Reicht die erste?',
  },
  first: {
    en: 'Yes: the first category of each cell is used',
    de: 'Ja: Die erste Kategorie jeder Zelle gilt',
  },
  manyValues: {
    en: '“{column}” has too many values to list all. Do the categories that are not listed exist already?',
    de: '„{column}“ hat zu viele Werte, um alle aufzuzählen. Gibt es die übrigen Kategorien schon?',
  },
  listed: {
    en: 'Go on: what is listed is created; rows of other categories fail unless these exist',
    de: 'Weiter: Was aufgezählt ist, wird angelegt; Zeilen mit anderen Kategorien schlagen fehl, wenn es diese nicht gibt',
  },
  whichColumn: { en: 'What is the column “{column}”?', de: 'Was ist die Spalte „{column}“?' },
  rows: {
    en: 'Rows without “{column}”, such as “{example}” in row {row}, look like titles or sums. What becomes of them?',
    de: 'Zeilen ohne „{column}“, etwa „{example}“ in Zeile {row}, sehen wie Überschriften oder Summen aus. Was wird aus ihnen?',
  },
  leaveOut: {
    en: 'They are left out, in later files too',
    de: 'Sie werden weggelassen, auch in späteren Dateien',
  },
  importAll: { en: 'They are imported as all others are', de: 'Sie werden wie alle anderen importiert' },
  attribute: { en: 'The attribute “{value}”', de: 'Das Attribut „{value}“' },
  newAttribute: { en: 'A new attribute', de: 'Ein neues Attribut' },
  ignored: { en: 'Nothing that is imported', de: 'Nichts, was importiert wird' },
  unitLeftOut: {
    en: 'a number whose unit is left out, whichever it is',
    de: 'eine Zahl, deren Einheit wegfällt, welche auch immer es ist',
  },
  currencyLeftOut: {
    en: 'an amount whose currency is left out',
    de: 'ein Betrag, dessen Währung wegfällt',
  },
  notThis: {
    en: 'an error of its row, as it is not in {value}',
    de: 'ein Fehler seiner Zeile, weil er nicht in {value} ist',
  },
  severalValues: { en: 'several values', de: 'mehrere Werte' },
  oneValue: { en: 'one value', de: 'ein Wert' },
});

const KINDS = ['items', 'stock', 'prices', 'categories', 'attributes', 'orders', 'googleFeed'] as const;
const ONE_OF = { items: 'anItem', bundles: 'aBundle', attributes: 'anAttribute', categories: 'aCategory' } as const;

type Reading = Asked['readings'][number];

/** Which of the questions about categories it is: the API tells them apart by their answers. */
function categoryQuestion({ readings }: Asked): 'several' | 'categoryColumn' | 'category' {
  if (readings.some(({ label }) => label.startsWith('the first category'))) return 'several';
  return readings.every(({ label }) => label.startsWith('the column ')) ? 'categoryColumn' : 'category';
}

/** @param kind what the file looks like */
export function useReadingWords(kind: string | null) {
  const t = useText();
  const oneOf = (value: string | undefined) =>
    t(ONE_OF[Object.keys(ONE_OF).find((one) => one === value) as keyof typeof ONE_OF] ?? 'anItem');

  /** @returns undefined: the question is about how values or the file are written */
  const question = (asked: Asked): string | undefined => {
    const { about, column, readings } = asked;
    if (about === 'kind')
      return t('kind', { kind: t(KINDS.find((one) => one === kind) ?? 'unknown'), what: oneOf(readings[0]?.value) });
    if (about === 'category') return t(categoryQuestion(asked), { column });
    if (about === 'values') return t('manyValues', { column });
    if (about === 'rows') return t('rows', { column, example: readings[0]?.example ?? '', row: readings[0]?.row ?? 0 });
    return about === 'column' ? t('whichColumn', { column }) : undefined;
  };

  /** @returns undefined: what the API calls it has no words, such as a number */
  const reading = (asked: Asked, { value, label }: Reading): string | undefined => {
    switch (asked.about) {
      case 'kind':
        return t('isKind', { what: oneOf(value) });
      case 'values':
        return t('listed');
      case 'category': {
        const which = categoryQuestion(asked);
        if (which === 'several') return t('first');
        if (which === 'categoryColumn') return t('column', { value });
        if (value === 'none') return t('noCategory');
        return t(label.startsWith('all new items are in a new category ') ? 'newCategory' : 'inCategory', {
          value: inWords(value.split('->')),
        });
      }
      case 'rows':
        return t(value === 'leaveOut' ? 'leaveOut' : 'importAll');
      case 'column':
        if (label.startsWith('the attribute ')) return t('attribute', { value });
        return value === 'new' ? t('newAttribute') : value === 'ignore' ? t('ignored') : undefined;
      case undefined:
        if (label.startsWith('a number whose unit')) return t('unitLeftOut');
        if (label.startsWith('an amount whose currency')) return t('currencyLeftOut');
        if (/^an error of its row, (?:as it|because its unit)/.test(label)) return t('notThis', { value });
        return value === 'list' ? t('severalValues') : value === 'text' ? t('oneValue') : undefined;
      default:
        return undefined;
    }
  };
  return { question, reading };
}
