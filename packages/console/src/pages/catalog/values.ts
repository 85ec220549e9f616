/** Values of attributes as people read and type them, in the form of their language. */

import { useLingui } from '@lingui/react';
import type { Attribute } from '@longshore/client';
import { useMemo } from 'react';
import { localeOf } from '../../texts/language.js';
import { textsOf } from '../../texts/texts.js';
import { type NumberSigns, numberSigns, numberTexts } from './number-text.js';

export type Typed = Pick<Attribute, 'type' | 'optionsType'>;

const useText = textsOf('values', {
  yes: { en: 'yes', de: 'ja' },
  no: { en: 'no', de: 'nein' },
});

export interface Values {
  /** A value as it is read. */
  show(attribute: Typed, value: unknown): string;
  /** A value as it is typed. */
  edit(attribute: Typed, value: unknown): string;
  /** What somebody has typed, as the API takes it; undefined: it is no such value. An empty text clears the value. */
  parse(attribute: Typed, text: string): { readonly value: unknown } | undefined;
}

const NUMBERS = ['INTEGER', 'DECIMAL'];
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** The start of an instant as the API writes it. Other texts are of a time when their attribute held texts. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:/;

export function isNumeric({ type, optionsType }: Typed): boolean {
  return NUMBERS.includes(type) || type === 'SERIAL' || (type === 'OPTIONS' && NUMBERS.includes(optionsType ?? ''));
}

function isWhole({ type, optionsType }: Typed): boolean {
  return type === 'INTEGER' || (type === 'OPTIONS' && optionsType === 'INTEGER');
}

export function useValues(): Values {
  const { i18n } = useLingui();
  const t = useText();
  const yes = t('yes');
  const no = t('no');
  return useMemo(() => valuesOf(localeOf(i18n.locale), { yes, no }), [i18n.locale, yes, no]);
}

interface Words {
  readonly yes: string;
  readonly no: string;
}

function valuesOf(locale: string, { yes, no }: Words): Values {
  const numberText = numberTexts(locale);
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const instant = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const signs = numberSigns(locale);
  const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return {
    show(attribute, value) {
      if (value === undefined || value === null) return '';
      if (typeof value === 'boolean') return value ? yes : no;
      const text = plain(value);
      if (attribute.type !== 'SERIAL' && isNumeric(attribute)) return numberText(text, isWhole(attribute)) ?? text;
      if (attribute.type === 'DATETIME' && (DAY.test(text) || INSTANT.test(text))) {
        const time = new Date(text);
        if (!Number.isNaN(time.getTime())) return (DAY.test(text) ? day : instant).format(time);
      }
      return text;
    },
    edit(attribute, value) {
      if (value === undefined || value === null) return '';
      const text = plain(value);
      return isNumeric(attribute) ? text.replace('.', signs.decimal) : text;
    },
    parse(attribute, text) {
      if (text === '') return { value: null };
      if (attribute.type === 'BOOLEAN') return { value: text === 'true' };
      if (!isNumeric(attribute)) return { value: text };
      const parsed = parseNumber(text.trim(), signs);
      if (parsed === undefined) return undefined;
      // Decimals are sent as texts, so that no digit is lost.
      return { value: attribute.type === 'DECIMAL' ? parsed : Number(parsed) };
    },
  };
}

/** @returns the number with a point; undefined for anything else. A point of another language is a decimal point where it groups nothing. */
function parseNumber(text: string, { decimal, group }: NumberSigns): string | undefined {
  const escaped = (sign: string) => sign.replace(/[.\s]/, (one) => (one === '.' ? '\\.' : '\\s'));
  const grouped = new RegExp(`^[-+]?\\d{1,3}(${escaped(group)}\\d{3})+(${escaped(decimal)}\\d+)?$`);
  const ungrouped = grouped.test(text) ? text.split(group).join('') : text;
  const pointed = ungrouped.replace(decimal, '.').replace(/^\+/, '');
  return /^-?\d+(\.\d+)?$/.test(pointed) ? pointed : undefined;
}
