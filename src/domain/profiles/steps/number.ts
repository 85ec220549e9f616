/** The step that reads numbers as they are written in a country: `1.950,27 €`. */
import { z } from 'zod';
import { quoted } from '../../kernel/value-problem.js';
import { defineStep, StepFailure, words } from './step.js';

/** Spaces that programs write between thousands: plain, no-break, narrow no-break, thin and figure spaces. */
const SPACES = ' \u00a0\u202f\u2009\u2007';
/** Spreadsheets write large and small numbers so: `1,5E+07`. */
const EXPONENT = /^[0-9.,]+e([+-]?[0-9]{1,2})$/i;
const MINUS_SIGNS = /^[-\u2212\u2012\u2013]/;

export const numberStep = defineStep({
  schema: z
    .strictObject({
      step: z.literal('number'),
      decimal: z.enum(['.', ',']).meta({ description: 'The decimal sign' }),
      thousands: z
        .enum(['.', ',', ' ', "'", ''])
        .optional()
        .meta({ description: 'What may be between thousands: every kind of space with " ". Default: nothing' }),
      currency: words.optional().meta({ description: 'Signs or codes that may be before or behind the number' }),
    })
    .refine(({ decimal, thousands }) => decimal !== thousands, {
      path: ['thousands'],
      message: 'is the decimal sign as well: give another one, or leave it out',
    }),
  result: 'number',
  compile: ({ decimal, thousands = '', currency = [] }) => {
    const separators = thousands === ' ' ? SPACES : thousands === "'" ? "'’" : thousands;
    const whole = separators === '' ? '[0-9]+' : `(?:[0-9]{1,3}(?:[${separators}][0-9]{3})+|[0-9]+)`;
    const sign = decimal === ',' ? ',' : '\\.';
    const shaped = (before: string) => new RegExp(`^(?:${before}(?:${sign}[0-9]*)?|${sign}[0-9]+)$`);
    const shape = shaped(whole);
    // No program writes both, and the point of `1.234E+3` would be one between thousands.
    const shapeBeforeExponent = shaped('[0-9]+');
    const separator = separators === '' ? null : new RegExp(`[${separators}]`, 'g');
    const signs = currency.map((one) => one.toLowerCase()).sort((one, other) => other.length - one.length);
    const plain = decimal === ',' ? /^-?[0-9]{1,15}(?:,[0-9]{1,15})?$/ : /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/;
    return (text) => {
      if (plain.test(text)) return decimal === ',' ? text.replace(',', '.') : text;
      let rest = withoutCurrency(text.trim(), signs);
      let isNegative = false;
      if (MINUS_SIGNS.test(rest)) isNegative = true;
      else if (!rest.startsWith('+')) {
        // Some programs write the sign behind the number.
        if (/[0-9]\s?-$/.test(rest)) {
          isNegative = true;
          rest = ` ${rest.slice(0, -1).trimEnd()}`;
        } else rest = ` ${rest}`;
      }
      rest = withoutCurrency(rest.slice(1).trim(), signs);
      const [, exponent] = EXPONENT.exec(rest) ?? [];
      if (exponent !== undefined) rest = rest.slice(0, rest.search(/e/i));
      if (!(exponent === undefined ? shape : shapeBeforeExponent).test(rest))
        return new StepFailure(`${quoted(text)} is no number with ${described(decimal, thousands)}`);
      const digits = separator === null ? rest : rest.replace(separator, '');
      const [before = '', after = ''] = digits.split(decimal);
      const number = shifted(before === '' ? '0' : before, after, Number(exponent ?? 0));
      return isNegative ? `-${number}` : number;
    };
  },
  inverse: ({ decimal, thousands = '', currency = [] }) => {
    const [sign] = currency;
    const behind = sign !== undefined && currency.length === 1 ? ` ${sign}` : '';
    return {
      write: (text) => {
        const [, minus = '', whole = '', after = ''] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text) ?? [];
        if (whole === '') return null;
        const grouped = thousands === '' ? whole : whole.replace(/\B(?=(?:[0-9]{3})+$)/g, thousands);
        return `${minus}${grouped}${after === '' ? '' : decimal + after}${behind}`;
      },
      loss:
        currency.length > 1 ? 'with several currencies it is not known which one a value had: none is written' : null,
    };
  },
});

/** A number without an exponent: its point moves by so many places. */
function shifted(before: string, after: string, places: number): string {
  const digits = before.padStart(before.length + Math.max(0, -places), '0') + after.padEnd(places, '0');
  const point = places < 0 ? before.length : before.length + places;
  const whole = digits.slice(0, point);
  const fraction = digits.slice(point);
  return `${places === 0 ? whole : whole.replace(/^0+(?=[0-9])/, '')}${fraction === '' ? '' : `.${fraction}`}`;
}

/** @param signs in lower case, the longest first */
function withoutCurrency(text: string, signs: readonly string[]): string {
  if (signs.length === 0) return text;
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return text;
  for (const sign of signs) {
    if (lower.startsWith(sign)) return text.slice(sign.length).trimStart();
    if (lower.endsWith(sign)) return text.slice(0, -sign.length).trimEnd();
  }
  return text;
}

const NAMES: Readonly<Record<string, string>> = { '.': 'a point', ',': 'a comma', ' ': 'spaces', "'": 'apostrophes' };

function described(decimal: string, thousands: string): string {
  const between =
    thousands === '' ? 'nothing' : thousands === '.' ? 'points' : thousands === ',' ? 'commas' : NAMES[thousands];
  return `${NAMES[decimal]} as the decimal sign and ${between} between thousands`;
}
