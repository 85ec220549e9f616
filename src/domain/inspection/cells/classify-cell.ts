/** Says what a cell is, by the cell alone. */

import { affixKind, withoutCents } from './affixes.js';
import { SEEN } from './cell-scan.js';
import { FORM, FORM_COUNT } from './number-forms.js';
import { DateReading, ORDER } from './read-date.js';
import { NumberReading } from './read-number.js';
import { Signature, type Trait } from './signature.js';
import { isNoDate, isSheetError, MAX_WORD, standsForNothing, type YesNoWord, yesNoWord } from './words.js';

/** No number, day or word for nothing is longer. */
const MAX_SHORT = 40;
/** More signatures than these are no form of anything. */
const MAX_SIGNATURES = 60;
/** The first key of dates; those of numbers are less. */
const FIRST_DATE = 1 << 20;
const URL = /^(?:https?|ftps?):\/\/|^www\.|^\/\/[\w-]+\./i;
const TAG = /<(?:\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?|!--)>?/i;
const ENTITY = /&(?:[a-z]{2,8}|#\d{2,5}|#x[0-9a-f]{2,5});/i;
export const ORDERS = [ORDER.dayFirst, ORDER.monthFirst, ORDER.yearFirst];
/** The characters that a text of a number or a date has at least one of. */
const MAY_BE_URL = SEEN.slash | SEEN.point;

const number = new NumberReading();
const date = new DateReading();

/** The signatures of a column. */
export class Signatures {
  readonly #byKey = new Map<string | number, Signature>();
  /** By prefix, then by suffix. */
  readonly #affixes = new Map<string, Map<string, number>>();
  #affixCount = 0;
  /** Whether a number has a minus before it that no import reads without a step: `–5`. */
  hasPrintedMinus = false;
  readonly text = this.#add('text', { kind: 'text' });

  all(): Signature[] {
    return [...this.#byKey.values()].filter(({ count }) => count > 0);
  }

  /**
   * The signature of a cell.
   * @param seen bits of SEEN
   * @param type the type of the cell as tables have it; `t` for all texts
   */
  find(text: string, seen: number, type: string): Signature {
    if (type !== 't') return this.#typed(text, type);
    if ((seen & SEEN.digit) !== 0)
      return text.length <= MAX_SHORT ? this.#withDigits(text, seen) : this.#long(text, seen);
    if (text.length <= MAX_WORD) {
      const word = yesNoWord(text);
      if (word !== undefined) return this.#word(text, word);
    }
    if (text.length <= 16 && standsForNothing(text)) return this.#nothing(text);
    return this.#long(text, seen);
  }

  #typed(text: string, type: string): Signature {
    switch (type) {
      case 'n':
        return this.#number(text.includes('.') ? FORM.typedDecimal : FORM.typedInteger, '', '');
      case 'd':
      case 'i':
        date.read(text);
        // Workbooks and tables have days of one calendar.
        date.isOtherCalendar = false;
        return this.#date();
      case 'b': {
        const word = yesNoWord(text);
        return word === undefined ? this.text : this.#word(text, word);
      }
      default:
        return this.#plain('marked');
    }
  }

  #withDigits(text: string, seen: number): Signature {
    if ((seen & ~SEEN.digit) === 0) {
      number.read(text);
      return this.#number(number.form, '', '');
    }
    if ((seen & (SEEN.sign | SEEN.slash | SEEN.point | SEEN.letter)) !== 0 && date.read(text)) {
      return date.isImpossible && isNoDate(text) ? this.#nothing(text) : this.#date();
    }
    if (number.read(text)) {
      const { prefix, suffix, form } = number;
      // `€ 12,-` has an affix on either side, and so has no other amount.
      const isOneSided = prefix === '' || suffix === '' || withoutCents(suffix) === '';
      const isCode = (prefix !== '' && affixKind(prefix) !== 'currency') || !isOneSided;
      if (!isCode && !(suffix !== '' && form === FORM.leadingZeros)) {
        if (number.isMinusPrinted) this.hasPrintedMinus = true;
        return this.#number(form, prefix, suffix);
      }
    }
    if (text.length <= 16 && isSheetError(text)) return this.#nothing(text);
    return this.#long(text, seen);
  }

  #long(text: string, seen: number): Signature {
    if ((seen & MAY_BE_URL) !== 0 && URL.test(text)) return this.#plain('url');
    const mayBeHtml =
      (seen & SEEN.lessThan) !== 0 || (seen & (SEEN.ampersand | SEEN.semicolon)) === (SEEN.ampersand | SEEN.semicolon);
    if (mayBeHtml && (TAG.test(text) || ENTITY.test(text))) return this.#plain('html');
    return this.text;
  }

  #number(form: number, prefix: string, suffix: string): Signature {
    const key = prefix === '' && suffix === '' ? form : form + FORM_COUNT * (1 + this.#affix(prefix, suffix));
    return this.#byKey.get(key) ?? this.#add(key, { kind: 'number', form, prefix, suffix });
  }

  #affix(prefix: string, suffix: string): number {
    const suffixes = this.#affixes.get(prefix) ?? new Map<string, number>();
    const known = suffixes.get(suffix);
    if (known !== undefined) return known;
    // What does not fit shares a number whose signatures are never made.
    if (this.#affixCount >= MAX_SIGNATURES) return MAX_SIGNATURES;
    this.#affixes.set(prefix, suffixes);
    suffixes.set(suffix, this.#affixCount);
    this.#affixCount += 1;
    return this.#affixCount - 1;
  }

  #date(): Signature {
    const { separator, yearDigits, time, isShort, orders, isOtherCalendar } = date;
    const bits = (isOtherCalendar ? 32 : 0) + orders * 4 + (yearDigits === 4 ? 2 : 0) + (isShort ? 1 : 0);
    // Most dates have one sign between their numbers and no time: they need no text for a key.
    const key =
      time === '' && separator.length === 1
        ? FIRST_DATE + separator.charCodeAt(0) * 64 + bits
        : `d${separator}${bits}${time}`;
    return this.#byKey.get(key) ?? this.#add(key, dateTrait());
  }

  #word(text: string, word: YesNoWord): Signature {
    const key = `w${text}`;
    return this.#byKey.get(key) ?? this.#add(key, { kind: 'word', word, text });
  }

  #nothing(text: string): Signature {
    const key = `n${text}`;
    return this.#byKey.get(key) ?? this.#add(key, { kind: 'nothing', text });
  }

  #plain(kind: 'url' | 'html' | 'marked'): Signature {
    return this.#byKey.get(kind) ?? this.#add(kind, { kind });
  }

  #add(key: string | number, trait: Trait): Signature {
    if (this.#byKey.size >= MAX_SIGNATURES) return this.text;
    const signature = new Signature(trait);
    this.#byKey.set(key, signature);
    return signature;
  }
}

/** Of the date that was read last. */
function dateTrait(): Trait {
  const { separator, yearDigits, time, orders, isOtherCalendar } = date;
  const formats = new Map(ORDERS.flatMap((order) => ((orders & order) === 0 ? [] : [[order, date.format(order)]])));
  const layout = `${orders === ORDER.yearFirst && yearDigits === 4 ? 'y' : ''}${separator}${yearDigits}${time === '' ? '' : 't'}`;
  return { kind: 'date', formats, hasTime: time !== '', isOtherCalendar, layout };
}
