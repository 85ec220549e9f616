/** The conversions of a profile in words. */
import { textsOf } from '../../texts/texts.js';
import type { Step } from './draft.js';

export const STEP_NAMES = [
  ...(['trim', 'collapseSpaces', 'stripHtml', 'case', 'replace', 'prefix', 'suffix'] as const),
  ...(['removeUnit', 'number', 'date', 'boolean', 'list', 'path', 'default'] as const),
] as const;
export type StepName = (typeof STEP_NAMES)[number];

export const useStepNames = textsOf('profile-steps', {
  trim: { en: 'Remove blanks at both ends', de: 'Leerzeichen an den Enden entfernen' },
  collapseSpaces: { en: 'One space instead of several', de: 'Ein Leerzeichen statt mehrerer' },
  stripHtml: { en: 'Keep only the text of HTML', de: 'Nur den Text aus HTML behalten' },
  case: { en: 'Capital or small letters', de: 'Groß- oder Kleinbuchstaben' },
  replace: { en: 'Replace by a table', de: 'Nach einer Tabelle ersetzen' },
  prefix: { en: 'Put before it', de: 'Davorsetzen' },
  suffix: { en: 'Put behind it', de: 'Dahintersetzen' },
  removeUnit: { en: 'Remove a unit', de: 'Einheit entfernen' },
  number: { en: 'Read a number', de: 'Zahl lesen' },
  date: { en: 'Read a date', de: 'Datum lesen' },
  boolean: { en: 'Read yes and no', de: 'Ja und Nein lesen' },
  list: { en: 'Several values', de: 'Mehrere Werte' },
  path: { en: 'Path of a category', de: 'Pfad einer Kategorie' },
  default: { en: 'Fill empty cells', de: 'Leere Zellen füllen' },
});

/** A step as it is before somebody says more. */
export const FIRST_STEPS: Readonly<Record<StepName, Step>> = {
  trim: { step: 'trim' },
  collapseSpaces: { step: 'collapseSpaces' },
  stripHtml: { step: 'stripHtml' },
  case: { step: 'case', to: 'lower' },
  replace: { step: 'replace', table: {}, otherwise: 'keep' },
  prefix: { step: 'prefix', text: '' },
  suffix: { step: 'suffix', text: '' },
  removeUnit: { step: 'removeUnit', units: [] },
  number: { step: 'number', decimal: ',', thousands: '.' },
  date: { step: 'date', formats: ['dd.MM.yyyy'] },
  boolean: { step: 'boolean', true: ['ja'], false: ['nein'] },
  list: { step: 'list', separator: ',' },
  path: { step: 'path', separator: '>' },
  default: { step: 'default', value: '' },
};

export function useStepText(): (step: Step) => string {
  const t = useStepNames();
  return (step) => {
    const more = detailOf(step);
    return more === '' ? t(step.step) : `${t(step.step)} (${more})`;
  };
}

function detailOf(step: Step): string {
  switch (step.step) {
    case 'number':
      return `1${step.thousands ?? ''}234${step.decimal}5${step.currency === undefined ? '' : ` ${step.currency.join(', ')}`}`;
    case 'date':
      return step.formats.join(', ');
    case 'boolean':
      return `${step.true.join(', ')} / ${step.false.join(', ')}`;
    case 'removeUnit':
      return step.units.join(', ');
    case 'prefix':
    case 'suffix':
      return step.text;
    case 'default':
      return step.value;
    default:
      return '';
  }
}
