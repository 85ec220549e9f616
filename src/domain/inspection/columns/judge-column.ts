/** Judges a column by what was gathered of all its cells. */
import { FORM } from '../cells/number-forms.js';
import type { Example, NumberTrait, Signature, Trait } from '../cells/signature.js';
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';
import type { Column, ColumnType } from '../model/column.js';
import { mayBeCodes } from './code-columns.js';
import type { ColumnFacts } from './column-facts.js';
import { counterExamplesAmong, isRounded } from './counter-examples.js';
import { judgeCalendar } from './judge-calendar.js';
import { type CountedDate, judgeDates } from './judge-dates.js';
import { judgeMinus } from './judge-minus.js';
import { type CountedNumber, judgeNumbers } from './judge-numbers.js';
import { judgeStructure, judgeUrls } from './judge-structure.js';
import { judgeWords } from './judge-words.js';
import { mixedUnits, withUnits } from './number-units.js';
import { counted, inCell, inRow } from './sentences.js';

/** What the judges of the values say of a column; the rest is known without them. */
export type JudgedValues = Pick<
  Column,
  'type' | 'number' | 'date' | 'boolean' | 'list' | 'path' | 'counterExamples' | 'counterExampleCount'
>;

/** So many of the cells must be of one type; the others are counter-examples. */
const LEAST_SHARE = 0.85;
const CERTAIN_SHARE = 0.95;
const LEAST_HTML = 0.04;

interface Verdict extends Partial<JudgedValues> {
  readonly type: Answer<ColumnType>;
  readonly fits: (trait: Trait) => boolean;
}

export function judgeValues(facts: ColumnFacts, rows: number, name: string): JudgedValues {
  const signatures = facts.signatures.all();
  const verdict = verdictOf(facts, signatures, rows, name);
  const { fits, ...judged } = verdict;
  return {
    ...{ number: null, date: null, boolean: null, list: null, path: null, ...judged },
    ...counterExamplesAmong(signatures, fits, judged.type.value),
  };
}

function verdictOf(facts: ColumnFacts, signatures: readonly Signature[], rows: number, name: string): Verdict {
  if (facts.filled === 0) {
    return {
      type: certain<ColumnType>('empty', `All ${counted(rows, 'cell')} of the column are blank.`),
      fits: () => true,
    };
  }
  const total = signatures.reduce((sum, { trait, count }) => (trait.kind === 'nothing' ? sum : sum + count), 0);
  return (
    judgeWords(signatures, total, name) ??
    dates(signatures, total) ??
    numbers(signatures, total, name) ??
    addresses(facts, signatures, total) ??
    texts(facts, signatures, total)
  );
}

function dates(signatures: readonly Signature[], total: number): Verdict | null {
  const found = signatures.flatMap((signature): CountedDate[] =>
    signature.trait.kind === 'date' ? [{ signature, trait: signature.trait }] : [],
  );
  const count = found.reduce((sum, { signature }) => sum + signature.count, 0);
  if (count === 0 || count < total * LEAST_SHARE) return dayDigits(signatures, total);
  const { formats, hasTime, fits } = judgeDates(found);
  const value: ColumnType = hasTime ? 'datetime' : 'date';
  const calendar = judgeCalendar(found, count, value);
  if (calendar?.value === 'text') return { type: calendar, fits: isPlain };
  const [first] = found.toSorted((a, b) => b.signature.count - a.signature.count);
  const reason = `${share(count, total)} are dates, such as ${inCell((first as CountedDate).signature)}.`;
  return {
    type: calendar ?? sure(count, total, value, reason),
    date: { formats },
    fits: (trait) => trait.kind === 'date' && fits(trait),
  };
}

/** Days such as 20261231 may be numbers as well. */
function dayDigits(signatures: readonly Signature[], total: number): Verdict | null {
  const days = signatures.find(
    ({ trait }) => trait.kind === 'number' && trait.form === FORM.dayDigits && trait.suffix === '',
  );
  if (days === undefined || days.count < total * CERTAIN_SHARE || days.count < 5) return null;
  const reason = `Nearly all values are eight digits that are a day, such as ${inCell(days)}; they may be numbers as well.`;
  const type = likely<ColumnType>('date', reason, ['integer']);
  return { type, date: { formats: likely(['yyyyMMdd'], reason) }, fits: (trait) => trait === days.trait };
}

function numbers(signatures: readonly Signature[], total: number, name: string): Verdict | null {
  const all = signatures.flatMap((signature): CountedNumber[] =>
    signature.trait.kind === 'number' ? [{ signature, trait: signature.trait }] : [],
  );
  const found = withUnits(all);
  const count = found.reduce((sum, { signature }) => sum + signature.count, 0);
  if (count === 0 || count < total * LEAST_SHARE) return null;
  const code = codeAmong(found, count, name);
  if (code !== null) return { type: code, fits: (trait) => !isRounded(trait) };
  const judged = judgeNumbers(found);
  const { form, hasFraction, fractionIsOpen, fits } = judged;
  const value: ColumnType = hasFraction ? 'decimal' : 'integer';
  const minus = judgeMinus(found, count, value, judged);
  if (minus?.value === 'text') return { type: minus, fits: isPlain };
  const [first] = found.toSorted((a, b) => b.signature.count - a.signature.count) as [CountedNumber];
  const serial = serialDay(found, name);
  const reason = `${share(count, total)} are numbers, such as ${inCell(first.signature)}.${serial}`;
  const type =
    serial !== ''
      ? likely<ColumnType>(value, reason, ['date'])
      : fractionIsOpen
        ? likely<ColumnType>('decimal', reason, ['integer'])
        : (minus ?? sure(count, total, value, reason));
  const mixed = mixedUnits(found, count);
  const traits = new Set<Trait>(found.map(({ trait }) => trait));
  return {
    type: mixed === null ? type : ambiguous<ColumnType>(value, mixed.reason, ['text'], mixed.example),
    number: form,
    fits: (trait) => trait.kind === 'number' && traits.has(trait) && fits(trait),
  };
}

const NAMES_A_DAY = /date|datum|fecha|\bdata\b|datě|дата|tarih|日付|日期|날짜|תאריך|تاريخ/iu;
/** The days from 2000 to 2050, as spreadsheets count them. */
const SERIAL_DAYS = { first: 36_526, last: 54_789 };
const MS_PER_DAY = 86_400_000;

/** What is said of days that a spreadsheet has written as it counts them; '' if there are none. */
function serialDay(found: readonly CountedNumber[], name: string): string {
  if (!NAMES_A_DAY.test(name) || !found.every(({ trait }) => trait.form === FORM.plain && trait.suffix === ''))
    return '';
  const examples = found.flatMap(({ signature }) => signature.examples);
  const isDay = ({ value }: Example) => Number(value) >= SERIAL_DAYS.first && Number(value) <= SERIAL_DAYS.last;
  const [first] = examples;
  if (first === undefined || !examples.every(isDay)) return '';
  const day = new Date((Number(first.value) - SERIAL_DAYS.first) * MS_PER_DAY + Date.UTC(2000, 0, 1));
  return ` They may be days as spreadsheets count them: ${first.value} is ${day.toISOString().slice(0, 10)}. Then export the file again with this column as dates.`;
}

/** The beginning of what is said of codes whose last digits are lost. */
export const ROUNDED_CODES = 'A spreadsheet has written some codes as numbers';

/** Zeros before a number, check digits and very long numbers say that the column has codes. */
function codeAmong(found: readonly CountedNumber[], count: number, name: string): Answer<ColumnType> | null {
  const of = (form: number) => found.filter(({ trait }) => trait.form === form);
  const sum = (form: number) => of(form).reduce((all, { signature }) => all + signature.count, 0);
  const isWhole = (trait: NumberTrait) => (trait.form <= FORM.long && trait.suffix === '') || isRounded(trait);
  const whole = found.reduce((all, { trait, signature }) => (isWhole(trait) ? all + signature.count : all), 0);
  if (whole < count * LEAST_SHARE) return null;
  const rounded = found.find(({ trait }) => isRounded(trait));
  const others = found.filter(({ trait }) => isWhole(trait) && !isRounded(trait));
  if (rounded !== undefined && mayBeCodes(others, name)) {
    const reason = `${ROUNDED_CODES}, such as ${inCell(rounded.signature)}, and their last digits are lost: export the file again with this column as text.`;
    return likely<ColumnType>('text', reason, ['decimal']);
  }
  const [gtin] = of(FORM.gtin);
  if (gtin !== undefined && sum(FORM.gtin) >= count * 0.9 && sum(FORM.gtin) >= 3) {
    return certain(
      'text',
      `The numbers have the check digits of GTINs, such as ${inCell(gtin.signature)}, so they are codes and no amounts.`,
    );
  }
  const [zeros] = of(FORM.leadingZeros);
  const [long] = of(FORM.long);
  const shown = zeros ?? long;
  if (shown === undefined) return null;
  const why = zeros === undefined ? 'is longer than a number can be held exactly' : 'would lose the zeros before it';
  const reason = `As a number, ${inCell(shown.signature)} ${why}.`;
  const exceptions = sum(FORM.leadingZeros) + sum(FORM.long);
  return exceptions * 100 >= count ? certain('text', reason) : likely<ColumnType>('text', reason, ['integer']);
}

function addresses(facts: ColumnFacts, signatures: readonly Signature[], total: number): Verdict | null {
  const urls = signatures.find(({ trait }) => trait.kind === 'url');
  if (urls === undefined || urls.count < total * LEAST_SHARE) return null;
  const reason = `${share(urls.count, total)} are URLs, such as ${inCell(urls)}.`;
  return { type: sure(urls.count, total, 'url', reason), ...judgeUrls(facts), fits: ({ kind }) => kind === 'url' };
}

function texts(facts: ColumnFacts, signatures: readonly Signature[], total: number): Verdict {
  const html = signatures.find(({ trait }) => trait.kind === 'html');
  if (html !== undefined && html.count >= Math.max(1, total * LEAST_HTML)) {
    const reason = `${share(html.count, total)} have HTML, such as ${inCell(html)}.`;
    const type =
      html.count >= total * 0.3 ? certain<ColumnType>('html', reason) : likely<ColumnType>('html', reason, ['text']);
    return { type, fits: isText };
  }
  const text = facts.signatures.text;
  const protectedBy = protection(text);
  if (protectedBy !== '') {
    return { type: likely<ColumnType>('text', protectedBy), fits: isPlain };
  }
  const numeric = signatures.filter(({ trait }) => trait.kind === 'number').reduce((sum, { count }) => sum + count, 0);
  const [first] = [text, ...signatures].filter(({ count }) => count > 0) as [Signature];
  const reason = `The values are texts, such as ${inCell(first)}.`;
  const type =
    numeric > total / 2
      ? likely<ColumnType>(
          'text',
          `${share(numeric, total)} are numbers, but others are not, such as ${inCell(first)}.`,
          ['decimal'],
        )
      : certain<ColumnType>('text', reason);
  return { type, ...judgeStructure(facts, text.count), fits: isPlain };
}

function isText({ kind }: Trait): boolean {
  return kind !== 'marked' && kind !== 'nothing';
}

function isPlain(trait: Trait): boolean {
  return isText(trait) && trait.kind !== 'html';
}

/** What programs write around a code, so that a spreadsheet makes no number of it: `="0123"`, `'0123`. */
const PROTECTED = /^(?:="[^"]*"|'[\d.,-]+)$/;

/** What is said of values with such signs; '' if there are none. */
function protection({ examples }: Signature): string {
  const found = examples.find(({ value }) => PROTECTED.test(value));
  if (found === undefined) return '';
  return `The values have signs for a spreadsheet around them, such as ${inRow(found)}, which are imported with them: export the file again without these signs.`;
}

function sure(count: number, total: number, value: ColumnType, reason: string): Answer<ColumnType> {
  return count >= total * CERTAIN_SHARE ? certain(value, reason) : likely<ColumnType>(value, reason, ['text']);
}

function share(count: number, total: number): string {
  if (total === 1) return 'All values (1)';
  return count === total ? `All ${total} values` : `${count} of ${total} values`;
}
