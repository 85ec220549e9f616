/** Words that stand for yes and no, and for no value, in the languages that files of catalogs are written in. */

/** Words that are used together: yes, then no. The first list that has all words of a column is its language. */
const YES_AND_NO: readonly (readonly [yes: string, no: string])[] = [
  ['ja j', 'nein n'],
  ['yes y', 'no n'],
  ['true t', 'false f'],
  ['oui o', 'non n'],
  ['sí si s', 'no n'],
  ['sì si s', 'no n'],
  ['ja j', 'nee n'],
  ['tak t', 'nie n'],
  ['ano a', 'ne n'],
  ['áno a', 'nie n'],
  ['ja j', 'nej n'],
  ['ja j', 'nei n'],
  ['sim s', 'não nao n'],
  ['igen i', 'nem n'],
  ['da', 'nu'],
  ['da', 'ne'],
  ['да', 'нет'],
  ['да', 'не'],
  ['já', 'nei'],
  ['так', 'ні'],
  ['evet e', 'hayır hayir h'],
  ['kyllä k', 'ei e'],
  ['はい', 'いいえ'],
  ['有', '無'],
  ['有', '无'],
  ['是', '否'],
  ['예', '아니요 아니오'],
  ['あり 有り', 'なし 無し'],
  ['có', 'không'],
  ['ya', 'tidak'],
  ['ใช่', 'ไม่ใช่'],
  ['نعم', 'لا'],
  ['بله', 'خیر'],
  ['כן', 'לא'],
  ['ναι', 'όχι οχι'],
  ['taip', 'ne'],
  ['jā', 'nē'],
  ['jah', 'ei'],
  ['wahr w', 'falsch f'],
  ['vrai v', 'faux f'],
  ['verdadero v', 'falso f'],
  ['vero v', 'falso f'],
  ['verdadeiro v', 'falso f'],
  ['waar', 'onwaar'],
  ['prawda p', 'fałsz falsz f'],
  ['pravda', 'nepravda'],
  ['истина', 'ложь'],
  ['on', 'off'],
  ['an', 'aus'],
  ['ein', 'aus'],
  ['aan', 'uit'],
  ['aktiv', 'inaktiv'],
  ['active', 'inactive'],
  ['enabled', 'disabled'],
  ['actif', 'inactif'],
  ['activo', 'inactivo'],
  ['attivo', 'inattivo'],
  ['actief', 'inactief'],
  ['aktywny', 'nieaktywny'],
  ['x', ''],
  ['✓', '✗'],
  ['✓', '✕'],
  ['✔', '✘'],
  ['✅', '❌'],
  ['☑', '☐'],
  ['☑', '☒'],
  ['√', '×'],
  ['○', '×'],
  ['1', '0'],
];

const ENGLISH = YES_AND_NO.findIndex(([yes]) => yes.startsWith('yes'));

export interface YesNoWord {
  readonly isYes: boolean;
  /** Indexes of the pairs of lists that have the word. */
  readonly families: ReadonlySet<number>;
}

const WORDS = new Map<string, YesNoWord>();
for (const [family, lists] of YES_AND_NO.entries()) {
  for (const [side, list] of lists.entries()) {
    for (const word of list.split(' ').filter(Boolean)) {
      const known = WORDS.get(word);
      // A word that means both, such as `e`, means neither.
      const families = new Set([...(known?.families ?? []), family]);
      if (known === undefined || known.isYes === (side === 0)) WORDS.set(word, { isYes: side === 0, families });
    }
  }
}

/** No word of the lists is longer. */
export const MAX_WORD = 12;

/** What a word says, in any case. */
export function yesNoWord(text: string): YesNoWord | undefined {
  return WORDS.get(text.toLowerCase());
}

const NO_VALUE = new Set(
  (
    'n/a na n.a. #n/a #nv nan null none nil \\n - -- --- – — . .. ? ?? x? k.a. ka k.a entf. entfällt unbekannt ' +
    'unknown nc n.c. n/d nd n.d. s/n inconnu sconosciuto desconocido brak nieznany onbekend neznámé b/d tbd tba ' +
    'なし 不明 未定 #ref! #value! #div/0! #name? #wert! undefined not available (leer) (blank)'
  ).split(' '),
);

/** What databases and programs write for no date: `0000-00-00`, `00.00.0000`, perhaps with midnight. */
const NO_DATE = /^(?:0000([-/.])00\1(?:00)|00([-/.])00\2(?:00)?00)(?:[ T]00:00(?::00(?:\.0+)?)?Z?)?$/;

/** Whether a text stands for no value. */
export function standsForNothing(text: string): boolean {
  return NO_VALUE.has(text.toLowerCase()) || isNoDate(text);
}

/** Whether a text stands for no date, and can be none. */
export function isNoDate(text: string): boolean {
  return text.startsWith('00') && NO_DATE.test(text);
}

/** Whether a text with digits stands for no value: only errors of spreadsheets do, such as `#DIV/0!`. */
export function isSheetError(text: string): boolean {
  return text.startsWith('#') && standsForNothing(text);
}

/**
 * The words for the other side, in all languages that have all of these words, and of their kind: a letter is the opposite of
 * a letter, where the language has one. Those of English are the first. None: there is no such word.
 */
export function oppositeWords(words: readonly string[]): string[] {
  const known = words.flatMap((word) => yesNoWord(word) ?? []);
  const [first] = known;
  if (first === undefined) return [];
  const shared = [...first.families].filter((each) => known.every(({ families }) => families.has(each)));
  const areLetters = words.every((word) => word.length === 1);
  const opposite = shared
    .sort((a, b) => Number(b === ENGLISH) - Number(a === ENGLISH) || a - b)
    .flatMap((family) => (YES_AND_NO[family]?.[first.isYes ? 1 : 0] ?? '').split(' '))
    .filter((word) => yesNoWord(word)?.isYes === !first.isYes);
  const ofKind = opposite.filter((word) => (word.length === 1) === areLetters);
  return [...new Set(ofKind.length > 0 ? ofKind : opposite)];
}
