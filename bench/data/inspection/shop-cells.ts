/** The cells of a file of a shop. */
import type { TextEncoding } from '../../../src/domain/formats/text/encoding-names.js';
import type { ShopLocale } from './locales.js';
import type { Random } from './random.js';

/** Cells that are not what their column is. */
export const DIRTY_PERCENT = 3;

export interface Choices {
  readonly encoding: TextEncoding;
  readonly delimiter: string;
  readonly decimal: '.' | ',';
  readonly thousands: string;
  /** Whether the prices say which sign is the decimal sign. */
  readonly decidesNumbers: boolean;
  readonly date: string;
  /** Whether some days are above 12. */
  readonly decidesDates: boolean;
  readonly yesNo: readonly [string, string];
  readonly currency: string;
  readonly unit: string;
  readonly list: string;
  readonly path: string;
}

export function cellsOfRow(locale: ShopLocale, choices: Choices, row: number, random: Random): string[] {
  const { decimal } = choices;
  return [
    `${random.pick(['A', 'B', 'X'])}-${10_000 + row}`,
    `${random.pick(locale.words)} ${random.pick(locale.words)} ${row}`,
    priceOf(choices, random),
    String(random.below(900)),
    choices.yesNo[random.below(2)] as string,
    dateOf(choices, random),
    random.pick(locale.categories).join(choices.path),
    coloursOf(locale, choices, random),
    `${1 + random.below(90)}${decimal}${1 + random.below(9)} ${choices.unit}`,
    gtin(random),
  ];
}

/** A cell that is wrong in its column. */
export function dirty(random: Random): string {
  return random.pick(['', 'n/a', '?', '???', 'TODO', '-', 'x y z', '#REF!', 'siehe oben']);
}

function priceOf({ decimal, thousands, decidesNumbers, currency }: Choices, random: Random): string {
  const after =
    currency === ''
      ? ''
      : currency.length === 3 || currency === '€' || currency === 'zł' || currency === 'Kč'
        ? ` ${currency}`
        : currency;
  const isBefore = currency === '$' || currency === '£' || currency === '¥';
  const digits = (count: number) => String(random.below(10 ** count)).padStart(count, '0');
  // Three digits after the sign: a fraction, or thousands.
  if (!decidesNumbers)
    return isBefore
      ? `${currency}${1 + random.below(9)}${decimal}${digits(3)}`
      : `${1 + random.below(9)}${decimal}${digits(3)}${after}`;
  const whole = random.chance(30) ? `${1 + random.below(9)}${thousands}${digits(3)}` : String(1 + random.below(990));
  const number = `${whole}${decimal}${digits(2)}`;
  return isBefore ? `${currency}${number}` : `${number}${after}`;
}

function dateOf({ date, decidesDates }: Choices, random: Random): string {
  const day = 1 + random.below(decidesDates ? 28 : 12);
  const month = 1 + random.below(12);
  const two = (value: number) => String(value).padStart(2, '0');
  return date
    .replace('yyyy', String(2020 + random.below(7)))
    .replace('MM', two(month))
    .replace('dd', two(day))
    .replace(/(?<![a-z])M(?!M)/, String(month))
    .replace(/(?<![a-z])d(?!d)/, String(day));
}

function coloursOf({ colours }: ShopLocale, { list }: Choices, random: Random): string {
  const count = 1 + random.below(3);
  const first = random.below(colours.length);
  const chosen = Array.from(
    { length: count },
    (_, index) => colours[(first + index * (1 + random.below(4))) % colours.length],
  );
  return [...new Set(chosen)].join(list);
}

function gtin(random: Random): string {
  const digits = `4${String(random.below(10 ** 9)).padStart(9, '0')}${random.below(10)}${random.below(10)}`;
  const sum = [...digits].reverse().reduce((all, digit, index) => all + Number(digit) * (index % 2 === 0 ? 3 : 1), 0);
  return digits + String((10 - (sum % 10)) % 10);
}
