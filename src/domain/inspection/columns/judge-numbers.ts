/** Judges which decimal and thousands signs the numbers of a column have, and which units and currencies. */
import { affixKind, MINUS_BEHIND } from '../cells/affixes.js';
import { ALL_STYLES, COMMA_STYLES, FORM, FORMS, POINT_STYLES, STYLES } from '../cells/number-forms.js';
import { type NumberTrait, type Signature, stylesOf } from '../cells/signature.js';
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';
import type { DecimalSign, NumberForm } from '../model/column.js';
import { decideReading } from './decide-reading.js';
import { inCell, quoted } from './sentences.js';

/** The cells of one signature that are numbers. */
export interface CountedNumber {
  readonly signature: Signature;
  readonly trait: NumberTrait;
}

export interface JudgedNumbers {
  readonly form: NumberForm;
  /** Whether a number of the column has a fraction. */
  readonly hasFraction: boolean;
  /** Whether that depends on the decimal sign, which is not decided. */
  readonly fractionIsOpen: boolean;
  /** Whether a signature can be read so. */
  readonly fits: (trait: NumberTrait) => boolean;
}

/** Judges numbers without those whose affixes are no units. */
export function judgeNumbers(numbers: readonly CountedNumber[]): JudgedNumbers {
  const decimal = judgeDecimal(numbers);
  const styles = decimal.value === null ? ALL_STYLES : decimal.value === '.' ? POINT_STYLES : COMMA_STYLES;
  const thousands = judgeThousands(numbers, decimal, styles);
  const hasFraction = numbers.some(
    ({ trait }) => ((FORMS[trait.form]?.fraction ?? 0) & styles & stylesOf(trait)) !== 0,
  );
  const affixes = affixesOf(numbers);
  return {
    form: { decimal, thousands, ...affixes },
    hasFraction,
    fractionIsOpen: decimal.verdict === 'ambiguous',
    fits: (trait) => (stylesOf(trait) & styles) !== 0,
  };
}

function countOf(numbers: readonly CountedNumber[], holds: (trait: NumberTrait) => boolean): number {
  return numbers.reduce((sum, { signature, trait }) => (holds(trait) ? sum + signature.count : sum), 0);
}

function judgeDecimal(numbers: readonly CountedNumber[]): Answer<DecimalSign> {
  const isSigned = (trait: NumberTrait) => {
    const styles = stylesOf(trait);
    return (
      trait.form !== FORM.exponent && styles !== ALL_STYLES && (styles & POINT_STYLES) << 4 !== (styles & COMMA_STYLES)
    );
  };
  const signed = countOf(numbers, isSigned);
  const example = (mask: number, other: number) =>
    numbers.find(({ trait }) => isSigned(trait) && (stylesOf(trait) & mask) !== 0 && (stylesOf(trait) & other) === 0);
  if (signed === 0) return certain<DecimalSign>(null, 'No number of the column has a decimal sign.');
  const fitting = (mask: number) => countOf(numbers, (trait) => isSigned(trait) && (stylesOf(trait) & mask) !== 0);
  const { readings, isCertain } = decideReading<DecimalSign>(signed, [
    ['.', fitting(POINT_STYLES)],
    [',', fitting(COMMA_STYLES)],
  ]);
  const point = example(POINT_STYLES, COMMA_STYLES);
  const comma = example(COMMA_STYLES, POINT_STYLES);
  if (readings.length === 1) {
    const [sign] = readings as [DecimalSign];
    const [shown, other] = sign === '.' ? [point, comma] : [comma, point];
    const where = shown === undefined ? '' : `, as in ${inCell(shown.signature)}`;
    const reason = `The decimal sign is ${quoted(sign)}${where}.`;
    if (isCertain) return certain(sign, reason);
    const but = other === undefined ? '' : ` ${capitalised(inCell(other.signature))} has the other one.`;
    return likely<DecimalSign>(sign, `${reason}${but}`, sign === '.' ? [','] : ['.']);
  }
  const open = numbers.find(({ trait }) => trait.form === FORM.pointEither || trait.form === FORM.commaEither);
  if (point !== undefined && comma !== undefined) {
    const reason = `Some numbers have the decimal sign ".", as in ${inCell(point.signature)}, and others have ",", as in ${inCell(comma.signature)}.`;
    const all: readonly DecimalSign[] = readings.length > 0 ? readings : ['.', ','];
    return ambiguous(null, reason, all, (open ?? point).signature.examples[0]);
  }
  const shown = open === undefined ? 'the numbers' : inCell(open.signature);
  const few = point ?? comma;
  const evidence = few === undefined ? '' : ` Only few numbers say which, such as ${inCell(few.signature)}.`;
  const reason = `${capitalised(shown)} is a decimal number with one sign, and a whole number with the other: nearly all numbers that have a sign have exactly three digits after it.${evidence}`;
  return ambiguous<DecimalSign>(null, reason, readings, open?.signature.examples[0]);
}

function judgeThousands(
  numbers: readonly CountedNumber[],
  decimal: Answer<DecimalSign>,
  styles: number,
): Answer<string> {
  const counts = new Map<string, CountedNumber & { count: number }>();
  for (const number of numbers) {
    const { grouped = 0 } = FORMS[number.trait.form] ?? {};
    const sign = STYLES.find((_, bit) => (grouped & styles & (1 << bit)) !== 0)?.thousands;
    if (sign === undefined) continue;
    const count = (counts.get(sign)?.count ?? 0) + number.signature.count;
    counts.set(sign, { ...(counts.get(sign) ?? number), count });
  }
  const ordered = [...counts].sort(([, a], [, b]) => b.count - a.count);
  const [best, ...others] = ordered;
  if (best === undefined) return certain('', 'No number of the column has a thousands sign.');
  const [sign, { signature, count }] = best;
  const reason = `The thousands sign is ${quoted(sign)}, as in ${inCell(signature)}.`;
  const rest = others.map(([other]) => other);
  if (decimal.verdict === 'ambiguous')
    return ambiguous(null, `${decimal.reason}`, ['', sign, ...rest], decimal.example);
  return others.some(([, other]) => other.count * 20 > count) ? likely(sign, reason, rest) : certain(sign, reason);
}

function affixesOf(numbers: readonly CountedNumber[]): Pick<NumberForm, 'currency' | 'units'> {
  const counts = { currency: new Map<string, number>(), units: new Map<string, number>() };
  for (const { signature, trait } of numbers) {
    for (const [text, isPrefix] of [[trait.prefix, true] as const, [trait.suffix, false] as const]) {
      if (text === '' || text === MINUS_BEHIND) continue;
      const into = isPrefix || affixKind(text) === 'currency' ? counts.currency : counts.units;
      into.set(text, (into.get(text) ?? 0) + signature.count);
    }
  }
  const ordered = (map: Map<string, number>) => [...map].sort(([, a], [, b]) => b - a).map(([text]) => text);
  return { currency: ordered(counts.currency), units: ordered(counts.units) };
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
