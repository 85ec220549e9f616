/** Finds in which orders a text can be a date. */
import { monthNamed } from './month-names.js';

/** The orders in which the same text may be a day; bits of `DateReading.orders`. */
export const ORDER = { dayFirst: 1, monthFirst: 2, yearFirst: 4 } as const;

const ZERO = 48;
const TIME =
  /^(T| |, )(\d{1,2}):([0-5]\d)(?::([0-5]\d|60)([.,]\d{1,9})?)?(?:( ?)([AP]M))?(?:( ?)(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?$/i;
const DAY_NAMED = /^(\d{1,2})(\.?)([ \-/.]|(?<=\.))([^\d\s.,/-]{3,12})(\.?)(,? |[-/.])(\d{4})$/u;
const MONTH_NAMED = /^([^\d\s.,/-]{3,12})(\.?)([ -])(\d{1,2})(,? |-)(\d{4})$/u;
const YEAR_SIGNS = /^(\d{4}) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日$/;
const MAX_LENGTH = 40;
/** `1 May 2026` */
const SHORTEST_NAMED = 10;

/** What was found; reused for each cell. */
export class DateReading {
  /** Bits of ORDER: how the text can be read. */
  orders = 0;
  /** The sign between the parts; a whole format if the text names its month. */
  separator = '';
  yearDigits = 4;
  /** Whether day or month is written with one digit. */
  isShort = false;
  /** The format of the time of day with what stands before it; '' without one. */
  time = '';
  /** Whether the text has the form of a date, but there is no such day. */
  isImpossible = false;
  /** Whether the year is one of another calendar: 2569 of the Buddhist one, 1405 of the Persian and 1447 of the Islamic one. */
  isOtherCalendar = false;

  /** Returns whether the text, which has digits and no blank ends, has the form of a date. */
  read(text: string): boolean {
    this.orders = 0;
    this.time = '';
    this.isImpossible = false;
    this.isOtherCalendar = false;
    this.yearDigits = 4;
    this.isShort = false;
    if (text.length < 6 || text.length > MAX_LENGTH) return false;
    return this.#readDigits(text) || this.#readNamed(text);
  }

  /** The format, if the date is written in this order. */
  format(order: number): string {
    if (this.separator.length > 1) return this.separator + this.time;
    const day = this.isShort ? 'd' : 'dd';
    const month = this.isShort ? 'M' : 'MM';
    const year = this.yearDigits === 4 ? 'yyyy' : 'yy';
    const parts =
      order === ORDER.dayFirst
        ? [day, month, year]
        : order === ORDER.monthFirst
          ? [month, day, year]
          : [year, month, day];
    return parts.join(this.separator) + this.time;
  }

  /** Two numbers and a year, with `.`, `/` or `-` between them. */
  #readDigits(text: string): boolean {
    const numbers = [0, 0, 0];
    const widths = [0, 0, 0];
    let part = 0;
    let separator = 0;
    let at = 0;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= ZERO && code <= ZERO + 9) {
        numbers[part] = (numbers[part] as number) * 10 + code - ZERO;
        widths[part] = (widths[part] as number) + 1;
        if ((widths[part] as number) > 4) return false;
        continue;
      }
      if (part === 2 || widths[part] === 0) break;
      if (code !== 46 && code !== 47 && code !== 45) break;
      if (separator !== 0 && code !== separator) return false;
      separator = code;
      part += 1;
    }
    if (part !== 2 || widths[2] === 0) return false;
    if (at < text.length && !this.#readTime(text.slice(at))) return false;
    this.separator = String.fromCharCode(separator);
    return this.#judgeParts(numbers as [number, number, number], widths as [number, number, number]);
  }

  #judgeParts([first, second, third]: [number, number, number], widths: [number, number, number]): boolean {
    const [a, b, c] = widths;
    if (a === 4 && b <= 2 && c <= 2) {
      this.isOtherCalendar = isOfOtherCalendar(first, second, third);
      this.isShort = b === 1 || c === 1;
      if (isDay(first, second, third)) this.orders = ORDER.yearFirst;
    } else if (a <= 2 && b <= 2 && c === 4) {
      this.isOtherCalendar = isOfOtherCalendar(third, second, first);
      this.isShort = a === 1 || b === 1;
      if (isDay(third, second, first)) this.orders |= ORDER.dayFirst;
      if (isDay(third, first, second)) this.orders |= ORDER.monthFirst;
    } else if (a <= 2 && b <= 2 && c === 2) {
      this.isShort = a === 1 || b === 1;
      this.yearDigits = 2;
      if (isDay(2000 + third, second, first)) this.orders |= ORDER.dayFirst;
      if (isDay(2000 + third, first, second)) this.orders |= ORDER.monthFirst;
      if (a === 2 && isDay(2000 + first, second, third)) this.orders |= ORDER.yearFirst;
    } else return false;
    this.isImpossible = this.orders === 0;
    return true;
  }

  #readTime(text: string): boolean {
    const match = TIME.exec(text);
    if (match === null) return false;
    const [, start = '', hours = '', , seconds, fraction = '', gap = '', half, before = '', offset] = match;
    if (Number(hours) > 23) return false;
    const lead = start.toUpperCase() === 'T' ? "'T'" : start;
    const hour = half === undefined ? 'H' : 'h';
    const shown = hours.length === 2 ? hour + hour : hour;
    this.time = `${lead}${shown}:mm${seconds === undefined ? '' : ':ss'}${fraction.replaceAll(/\d/g, 'S')}`;
    if (half !== undefined) this.time += `${gap}a`;
    // Without an offset the time is UTC: the letters say the same.
    if (offset !== undefined) this.time += before + (offset.length === 3 ? `'${offset.toUpperCase()}'` : 'XXX');
    return true;
  }

  /** A date with the name of its month, or with the signs of Chinese and Japanese. */
  #readNamed(text: string): boolean {
    const last = text.charCodeAt(text.length - 1);
    if (last === 0x65e5) return this.#readYearSigns(text);
    if (last < ZERO || last > ZERO + 9 || !mayEndInYear(text)) return false;
    const day = DAY_NAMED.exec(text);
    if (day !== null) {
      const [, number = '', dot = '', gap = '', word = '', end = '', gap2 = '', year = ''] = day;
      const token = number.length === 2 ? 'dd' : 'd';
      return this.#named(
        word,
        Number(number),
        Number(year),
        (month) => `${token}${dot}${gap}${month}${end}${gap2}yyyy`,
      );
    }
    const month = MONTH_NAMED.exec(text);
    if (month === null) return false;
    const [, word = '', end = '', gap = '', number = '', gap2 = '', year = ''] = month;
    const token = number.length === 2 ? 'dd' : 'd';
    return this.#named(word, Number(number), Number(year), (name) => `${name}${end}${gap}${token}${gap2}yyyy`);
  }

  #named(word: string, day: number, year: number, formatOf: (month: string) => string): boolean {
    const month = monthNamed(word);
    if (month === undefined) return false;
    this.separator = formatOf(month.isCut ? 'MMM' : 'MMMM');
    if (isDay(year, month.month, day)) this.orders = ORDER.yearFirst;
    else this.isImpossible = true;
    return true;
  }

  #readYearSigns(text: string): boolean {
    const match = YEAR_SIGNS.exec(text);
    if (match === null) return false;
    this.separator = 'yyyy年M月d日';
    if (isDay(Number(match[1]), Number(match[2]), Number(match[3]))) this.orders = ORDER.yearFirst;
    else this.isImpossible = true;
    return true;
  }
}

/** Whether a text ends in four digits behind a sign that may divide a date: the expressions need more time than that. */
function mayEndInYear(text: string): boolean {
  const { length } = text;
  if (length < SHORTEST_NAMED) return false;
  for (let back = 2; back <= 4; back += 1) {
    const code = text.charCodeAt(length - back);
    if (code < ZERO || code > ZERO + 9) return false;
  }
  const sign = text.charCodeAt(length - 5);
  return sign === 32 || (sign >= 45 && sign <= 47);
}

/** Whether the year may be one of another calendar. The last day of a century stands for no end: `31.12.2500`. */
function isOfOtherCalendar(year: number, month: number, day: number): boolean {
  const isFarEnd = (year % 100 === 0 || year % 100 === 99) && day + month === 31 + 12;
  if (isFarEnd) return false;
  return (year >= 1350 && year < 1500) || (year >= 2450 && year < 2650);
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1 || year < 1000) return false;
  if (month === 2) return day <= (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28);
  return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
}
