/** The keys by which names of columns are compared: exactly, and in other spellings. */
import { type Concept, DAMAGING, DICTIONARY } from './dictionary.js';

/** Letters that no normal form takes apart. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', đ: 'd', æ: 'a', œ: 'o', ı: 'i' };
/** How umlauts are written where there are none: `Groesse`. */
const WRITTEN_UMLAUTS = /[aou]e/g;

/** A name without case, blanks, signs and accents: `Artikel-Nr.` and `artikel nr` have one key, and so have Größe and Groesse. */
export function looseKey(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[ßłøđæœı]/g, (letter) => LETTERS[letter] ?? letter)
    .replaceAll(/[^\p{L}\p{N}\u3099\u309a]+/gu, '')
    .replaceAll(WRITTEN_UMLAUTS, ([vowel = '']) => vowel)
    .normalize('NFC');
  return plain === '' ? name.trim().toLowerCase() : plain;
}

const CONCEPTS: ReadonlyMap<string, Concept> = new Map(
  DICTIONARY.flatMap(([concept, words]) => words.map((word): [string, Concept] => [looseKey(word), concept])).reverse(),
);

/** A unit, a language or a remark behind the name: `Gewicht (kg)`, `Länge [cm]`, `Title (en)`. */
const BEHIND = /\s*[([][^()[\]]{1,30}[)\]]\s*$/;

/** What a column with this name is in the files of shops; null: nothing that is known. */
export function conceptOf(name: string, locale: string | null = null): Concept | null {
  const found = CONCEPTS.get(looseKey(name));
  if (found !== undefined) return found;
  const plain = name.replace(BEHIND, '');
  const stem = locale === null ? plain : plain.replace(/[\s_\-.:]+[A-Za-z]{2}(?:[_-][A-Za-z]{2})?(?:-\w+)?$/, '');
  return stem === name ? null : (CONCEPTS.get(looseKey(stem)) ?? null);
}

/** Parts of names that say of money, stock or state, in whatever words they stand. */
const DAMAGING_PARTS =
  /preis|price|prix|cena|ceny|prezzo|precio|prijs|価格|定価|stock|bestand|inventory|voorraad|giacenza|在庫|magazyn|status|aktiv|active|actif|attivo|activo|actief|aktywn|enabled|visible|sichtbar|有効|delet|lösch|supprim|usu[nń]|elimin|削除|цена|ціна|остаток|залишок|наличност|статус|актив|удал|видал|sklad|stav|价格|價格|售价|가격|판매가|fiyat|τιμή|kaina|preço|preț|cijena|hinta|库存|庫存|재고|stok|απόθεμα|likutis|készlet|estoque|tồn kho|מחיר|מלאי|السعر|المخزون|قیمت|ราคา/iu;

/** Whether a wrong value in the column can do damage. */
export function canDoDamage(name: string, concept: Concept | null): boolean {
  return (concept !== null && DAMAGING.has(concept)) || DAMAGING_PARTS.test(name);
}

/** Words for a number or a code of something: `Stock #`, `Status ID`, `stockCode`. */
const NUMBERED = /#|n[°º]|nummer|number|(?<!\p{L})(?:nr|no|num|code|id)(?!\p{L})|(?:nr|code)$/iu;

/** Whether a name says of a number of something, whatever that is. */
export function isNumbered(name: string): boolean {
  return NUMBERED.test(name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
}

/** A bit for each letter of a loose key: names that share few letters need not be compared. */
export function lettersOf(loose: string): number {
  let mask = 0;
  for (let at = 0; at < loose.length; at += 1) mask |= 1 << (loose.charCodeAt(at) & 31);
  return mask;
}
