/** The forms in which a number can be written, and which decimal and thousands signs each form allows. */
import type { DecimalSign } from '../model/column.js';

/** A decimal sign and a thousands sign that may occur together in one column. */
export interface NumberStyle {
  readonly decimal: DecimalSign;
  /** `''`: none. */
  readonly thousands: string;
}

/** Index in this list = bit in the masks below. */
export const STYLES: readonly NumberStyle[] = [
  { decimal: '.', thousands: '' },
  { decimal: '.', thousands: ',' },
  { decimal: '.', thousands: ' ' },
  { decimal: '.', thousands: "'" },
  { decimal: ',', thousands: '' },
  { decimal: ',', thousands: '.' },
  { decimal: ',', thousands: ' ' },
  { decimal: ',', thousands: "'" },
];

export const ALL_STYLES = 0xff;
export const POINT_STYLES = 0x0f;
export const COMMA_STYLES = 0xf0;

interface NumberForm {
  /** The styles in which such a text is a number. */
  readonly styles: number;
  /** The styles in which it has a fraction. */
  readonly fraction: number;
  /** The styles in which it has thousands signs. */
  readonly grouped: number;
}

function form(styles: number, fraction: number, grouped: number): NumberForm {
  return { styles, fraction, grouped };
}

/** The forms by number; a number is part of the key under which cells of one form are counted. */
export const FORM = {
  zero: 0,
  one: 1,
  /** Digits alone. */
  plain: 2,
  /** `0012`: a code rather than an amount. */
  leadingZeros: 3,
  /** Digits with a correct check digit of a GTIN. */
  gtin: 4,
  /** Eight digits that are a day, such as 20261231. */
  dayDigits: 5,
  /** More digits than a number can hold exactly. */
  long: 6,
  pointDecimal: 7,
  commaDecimal: 8,
  /** `1.950`: a decimal or thousands. */
  pointEither: 9,
  commaEither: 10,
  pointGroups: 11,
  commaGroups: 12,
  pointGroupsComma: 13,
  commaGroupsPoint: 14,
  blankGroups: 15,
  blankGroupsComma: 16,
  blankGroupsPoint: 17,
  apostropheGroups: 18,
  apostropheGroupsComma: 19,
  apostropheGroupsPoint: 20,
  exponentPoint: 21,
  exponentComma: 22,
  exponent: 23,
  /** A number cell of a workbook. */
  typedInteger: 24,
  typedDecimal: 25,
  /** `4.00638E+12`: most often a code that a spreadsheet has written as a number. */
  roundedPoint: 26,
  roundedComma: 27,
  rounded: 28,
} as const;
export const FORM_COUNT = 29;

const PLAIN = form(ALL_STYLES, 0, 0);
/** The bits of STYLES with this decimal sign whose thousands sign is one of these. */
const P = { none: 1, comma: 2, blank: 4, apostrophe: 8 };
const C = { none: 16, point: 32, blank: 64, apostrophe: 128 };
const POINT_DECIMAL = form(POINT_STYLES, POINT_STYLES, 0);
const COMMA_DECIMAL = form(COMMA_STYLES, COMMA_STYLES, 0);

export const FORMS: readonly NumberForm[] = [
  PLAIN,
  PLAIN,
  PLAIN,
  PLAIN,
  PLAIN,
  PLAIN,
  PLAIN,
  POINT_DECIMAL,
  COMMA_DECIMAL,
  form(POINT_STYLES | C.point, POINT_STYLES, C.point),
  form(COMMA_STYLES | P.comma, COMMA_STYLES, P.comma),
  form(C.point, 0, C.point),
  form(P.comma, 0, P.comma),
  form(C.point, C.point, C.point),
  form(P.comma, P.comma, P.comma),
  form(P.blank | C.blank, 0, P.blank | C.blank),
  form(C.blank, C.blank, C.blank),
  form(P.blank, P.blank, P.blank),
  form(P.apostrophe | C.apostrophe, 0, P.apostrophe | C.apostrophe),
  form(C.apostrophe, C.apostrophe, C.apostrophe),
  form(P.apostrophe, P.apostrophe, P.apostrophe),
  POINT_DECIMAL,
  COMMA_DECIMAL,
  form(ALL_STYLES, ALL_STYLES, 0),
  form(POINT_STYLES, 0, 0),
  POINT_DECIMAL,
  POINT_DECIMAL,
  COMMA_DECIMAL,
  form(ALL_STYLES, ALL_STYLES, 0),
];
