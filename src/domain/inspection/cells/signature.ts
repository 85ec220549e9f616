/** What a cell is, as far as it can be said of the cell alone; cells of one signature are counted together. */
import { FORM, FORMS } from './number-forms.js';
import type { YesNoWord } from './words.js';

/** The most examples of a signature that are kept. */
const MAX_EXAMPLES = 4;
const MAX_EXAMPLE_LENGTH = 200;

/** A cell, and where it is. */
export interface Example {
  readonly row: number;
  readonly value: string;
}

export interface NumberTrait {
  readonly kind: 'number';
  /** A number of FORM. */
  readonly form: number;
  readonly prefix: string;
  readonly suffix: string;
}

export interface DateTrait {
  readonly kind: 'date';
  /** The formats that fit, by the bits of ORDER; none: there is no such day. */
  readonly formats: ReadonlyMap<number, string>;
  readonly hasTime: boolean;
  /** Whether the year is one of another calendar, if it is no far one of this. */
  readonly isOtherCalendar: boolean;
  /** What is equal in all dates that are written alike, whatever their order is. */
  readonly layout: string;
}

export interface WordTrait {
  readonly kind: 'word';
  readonly word: YesNoWord;
  readonly text: string;
}

/** The cell stands for no value, such as `k.A.`. */
interface NothingTrait {
  readonly kind: 'nothing';
  readonly text: string;
}

/** `marked`: the cell could not be read. */
interface PlainTrait {
  readonly kind: 'text' | 'url' | 'html' | 'marked';
}

export type Trait = NumberTrait | DateTrait | WordTrait | NothingTrait | PlainTrait;

export class Signature {
  count = 0;
  readonly examples: Example[] = [];

  constructor(readonly trait: Trait) {}

  add(row: number, text: string): void {
    this.count += 1;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push({ row, value: cut(text) });
  }
}

/** A text as an inspection shows it. */
export function cut(text: string, length = MAX_EXAMPLE_LENGTH): string {
  // A copy: a part of a text would keep all of the text in memory.
  return text.length > length ? `${Buffer.from(text.slice(0, length)).toString()}…` : text;
}

/** The styles in which a number can be written that has this signature. */
export function stylesOf({ form }: NumberTrait): number {
  return FORMS[form]?.styles ?? 0;
}

/** Whether it is 0 or 1 and nothing else. */
export function isBit({ form, prefix, suffix }: NumberTrait): boolean {
  return (form === FORM.zero || form === FORM.one) && prefix === '' && suffix === '';
}
