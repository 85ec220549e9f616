/** Judges in which formats the dates of a column are written. */
import { ORDERS } from '../cells/classify-cell.js';
import { ORDER } from '../cells/read-date.js';
import type { DateTrait, Example, Signature } from '../cells/signature.js';
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';
import { decideReading } from './decide-reading.js';
import { inCell, inRow } from './sentences.js';

export interface CountedDate {
  readonly signature: Signature;
  readonly trait: DateTrait;
}

export interface JudgedDates {
  readonly formats: Answer<string[]>;
  readonly hasTime: boolean;
  readonly fits: (trait: DateTrait) => boolean;
}

/** A way of writing dates that fewer have is a mistake rather than a format of the column. */
const LEAST_SHARE = 0.05;

/** The dates that are written alike, and in which orders they can be read. */
interface Layout {
  readonly dates: readonly CountedDate[];
  readonly count: number;
  readonly orders: readonly number[];
  readonly isCertain: boolean;
}

export function judgeDates(dates: readonly CountedDate[]): JudgedDates {
  const possible = dates.filter(({ trait }) => trait.formats.size > 0);
  const total = countOf(possible);
  const layouts = [...grouped(possible).values()]
    .map(layoutOf)
    .filter(({ count, orders }) => count >= total * LEAST_SHARE && orders.length > 0)
    .sort((a, b) => b.count - a.count);
  const formats = answerOf(layouts);
  const kept = new Set(layouts.flatMap((layout) => layout.dates));
  const used = new Set([...(formats.value ?? []), ...formats.rivals.flat()]);
  return {
    formats,
    hasTime: layouts.some((layout) => layout.dates.some(({ trait }) => trait.hasTime)),
    fits: (trait) =>
      [...kept].some((each) => each.trait === trait) &&
      [...trait.formats.values()].some((format) => used.has(format) || used.has(longForm(format))),
  };
}

function grouped(dates: readonly CountedDate[]): Map<string, CountedDate[]> {
  const groups = new Map<string, CountedDate[]>();
  for (const date of dates) {
    const key = date.trait.layout;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [date]);
    else group.push(date);
  }
  return groups;
}

function countOf(dates: readonly CountedDate[]): number {
  return dates.reduce((sum, { signature }) => sum + signature.count, 0);
}

function layoutOf(dates: readonly CountedDate[]): Layout {
  const count = countOf(dates);
  const fits = ORDERS.map((order) => [order, countOf(dates.filter(({ trait }) => trait.formats.has(order)))] as const);
  const { readings, isCertain } = decideReading(
    count,
    fits.filter(([, fit]) => fit > 0),
  );
  return { dates, count, orders: readings, isCertain };
}

function answerOf(layouts: readonly Layout[]): Answer<string[]> {
  const open = layouts.find(({ orders }) => orders.length > 1);
  const readings = open === undefined ? [null] : open.orders;
  const lists = readings.map((order) => layouts.flatMap((layout) => formatsOf(layout, order)));
  const [first = []] = lists;
  const [shown] = layouts;
  if (shown === undefined) return ambiguous<string[]>(null, 'The dates are written in too many ways.', []);
  if (open !== undefined) {
    const either = open.dates.filter(({ trait }) => open.orders.every((order) => trait.formats.has(order)));
    const examples = (either[0] === undefined ? [firstOf(open.dates)] : either).flatMap(
      ({ signature }) => signature.examples,
    );
    // Of 02.02.2026 nobody can say which number is the day.
    const example = examples.find(hasTwoReadings) ?? examples[0];
    const cell = example === undefined ? 'a cell' : inRow(example);
    const reason = `Whether the day or the month is first in ${cell} cannot be said: nearly all dates fit ${lists.map((list) => list[0]).join(' as well as ')}.`;
    return ambiguous(null, reason, lists, example);
  }
  const reason = `Dates are written as ${first.join(', ')}, as in ${inCell(clearest(shown).signature)}.`;
  return layouts.every(({ isCertain }) => isCertain) ? certain(first, reason) : likely(first, reason);
}

function hasTwoReadings({ value }: Example): boolean {
  const [first, second] = value.match(/\d+/g) ?? [];
  return Number(first) !== Number(second);
}

/** The date of a layout that can be read in the fewest orders. */
function clearest({ dates, orders }: Layout): CountedDate {
  const [order = ORDER.dayFirst] = orders;
  const fitting = dates.filter(({ trait }) => trait.formats.has(order));
  return fitting.toSorted((a, b) => a.trait.formats.size - b.trait.formats.size)[0] ?? firstOf(dates);
}

function firstOf(dates: readonly CountedDate[]): CountedDate {
  const [first] = dates;
  if (first === undefined) throw new Error('a layout has no dates');
  return first;
}

/** The formats of a layout. Its dates may have days with one digit, which the longer format reads as well. */
function formatsOf({ dates, orders }: Layout, wanted: number | null): string[] {
  const order = wanted !== null && orders.includes(wanted) ? wanted : orders[0];
  if (order === undefined) return [];
  const formats = new Set<string>();
  for (const { trait } of dates.toSorted((a, b) => b.signature.count - a.signature.count)) {
    const format = trait.formats.get(order);
    if (format !== undefined) formats.add(format);
  }
  return [...formats].filter((format) => format === longForm(format) || !formats.has(longForm(format)));
}

/** `d.M.yyyy` → `dd.MM.yyyy`, which reads days and months of one digit too. */
function longForm(format: string): string {
  return format
    .replace(/(?<!d)d(?!d)/, 'dd')
    .replace(/(?<!M)M(?!M)/, 'MM')
    .replace(/(?<!H)H(?!H)/, 'HH');
}
