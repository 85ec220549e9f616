/** What the names of columns say of their values, where the values of one file do not: of codes, prices and flags. */
import type { NamedColumn } from '../match/candidates.js';
import type { Concept } from '../match/dictionary.js';

/** Each item has one of its own. */
export const CODES: ReadonlySet<Concept> = new Set(['sku', 'ean']);
/** Some of them begin with zeros or have letters sooner or later, even if none of this file does. */
const WRITTEN_CODES: ReadonlySet<Concept> = new Set([...CODES, 'mpn']);
const CODE_PARTS = /barcode|strichcode|\bean\b|gtin/i;
const MONEY = /price|preis|prix|precio|prezzo|prijs|(?<!s)cena|\bcost\b|kosten|co[uû]t/iu;
/** What has a price or a cost in its name, and is none: groups, lists, codes, places and kinds of them, and what costs nothing. */
const NO_MONEY =
  /gro?u?pp?|groep|id$|kostenlos|(?:price|preis|prix|precio|prezzo|prijs|cena|cost|kosten)s?[\s_-]*(?:lists?|listen?|lijst|codes?|cent(?:er|re)s?|stellen?|tr[aä]ger|art(?:en)?|types?|typ|levels?|nr|number|nummer)(?!\p{L})/iu;
/** What headers say of flags: `Active (0/1)`, `Show price (0 = No, 1 = Yes)`. */
const FLAG = /\(\s*0\s*(?:\/|=[^()]*)\s*1\b[^()]*\)/u;

/** Whether a column holds codes, whatever their digits are. */
export function isCode({ column, concept }: NamedColumn): boolean {
  return (concept !== null && WRITTEN_CODES.has(concept)) || CODE_PARTS.test(column.name);
}

/** Whether a name says that the column has prices, in whatever words: the next file has fractions. */
export function isMoney(name: string): boolean {
  return MONEY.test(name) && !NO_MONEY.test(name);
}

/** Whether a column has nothing but 0 or 1, and its name says that these are no and yes. */
export function isFlag({ column, concept, values }: NamedColumn): boolean {
  const areBits = values !== null && values.length > 0 && values.every((value) => value === '0' || value === '1');
  return areBits && (concept === 'active' || FLAG.test(column.name));
}
