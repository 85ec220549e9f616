/** The steps that read numbers, dates and lists; where the file can be read in several ways, a person decides. */
import type { Column, NumberForm } from '../../inspection/model/column.js';
import { quoted } from '../../kernel/value-problem.js';
import { valueConverter } from '../../profiles/convert-values.js';
import type { ProposedRule } from '../../profiles/model/proposed-rule.js';
import type { Reading } from '../../profiles/model/undecided.js';
import { dayInWords, usableFormats } from './date-formats.js';

type Steps = ProposedRule['steps'];
type Step = Reading['step'];
type NumberStep = Extract<Step, { step: 'number' }>;
type Thousands = NonNullable<NumberStep['thousands']>;

const THOUSANDS: readonly string[] = ['.', ',', ' ', "'"] satisfies Thousands[];
/** A list of words has no more. */
const MAX_WORDS = 100;

/** A cell that shows what is open. */
function exampleOf({ examples }: Column, example: { row: number; value: string } | undefined) {
  return { row: example?.row ?? 1, example: example?.value ?? examples[0] ?? '' };
}

/** @param minusBehind whether a minus stands behind some of the numbers */
export function numberSteps(column: Column, minusBehind = false): Steps {
  const { number, type } = column;
  if (number === null) return [];
  const { decimal } = number;
  const signs = decimal.verdict === 'ambiguous' ? (['.', ','] as const) : null;
  const isMixed = type.verdict === 'ambiguous' && signs === null;
  const [firstUnit] = number.units;
  const [firstCurrency] = number.currency;
  const units = number.units.slice(0, MAX_WORDS);
  const steps: (Steps[number] | null)[] = [];
  const all: Step = { step: 'removeUnit', units };
  if (isMixed && firstUnit !== undefined && units.length > 1) {
    const only: Step = { step: 'removeUnit', units: [firstUnit] };
    const cell = exampleOf(column, type.example);
    steps.push({
      step: 'removeUnit',
      undecided: [
        { value: 'all', label: 'a number whose unit is left out, whichever it is', ...cell, step: all },
        { value: firstUnit, label: `an error of its row, because its unit is not ${firstUnit}`, ...cell, step: only },
      ],
    });
  } else if (units.length > 0) steps.push(all);
  if (signs !== null) {
    const cell = exampleOf(column, decimal.example);
    const undecided = signs.map((sign) => signReading(sign, number, cell));
    steps.push({ step: 'number', undecided });
  } else if (isMixed && firstCurrency !== undefined && number.currency.length > 1) {
    const cell = exampleOf(column, type.example);
    const first = { ...number, currency: [firstCurrency] };
    const undecided: Reading[] = [
      { value: 'all', label: 'an amount whose currency is left out', ...cell, step: numberStep(number) },
      {
        value: firstCurrency,
        label: `an error of its row, as it is not ${firstCurrency}`,
        ...cell,
        step: numberStep(first),
      },
    ];
    steps.push({ step: 'number', undecided });
  } else if (minusBehind || isForeign(number)) steps.push(numberStep(number));
  return steps.filter((step) => step !== null);
}

/** Whether the numbers are written as no import reads them without a step. */
function isForeign({ decimal, thousands, currency }: NumberForm): boolean {
  return decimal.value === ',' || (thousands.value ?? '') !== '' || currency.length > 0;
}

function numberStep({ decimal, thousands, currency }: NumberForm): NumberStep {
  const between = THOUSANDS.includes(thousands.value ?? '') ? (thousands.value as Thousands) : '';
  const sign = decimal.value ?? (between === '.' ? ',' : '.');
  return {
    step: 'number',
    decimal: sign,
    ...(between === '' || between === sign ? {} : { thousands: between }),
    ...(currency.length === 0 ? {} : { currency: currency.slice(0, MAX_WORDS) }),
  };
}

function signReading(sign: '.' | ',', { currency }: NumberForm, cell: { row: number; example: string }): Reading {
  const step: NumberStep = {
    step: 'number',
    decimal: sign,
    thousands: sign === '.' ? ',' : '.',
    ...(currency.length === 0 ? {} : { currency: currency.slice(0, MAX_WORDS) }),
  };
  const [number = 'an error of its row'] = valueConverter([step])(cell.example) ?? [];
  return { value: sign, label: number, ...cell, step };
}

export function dateSteps(column: Column): Steps {
  const lists = usableFormats(column);
  const [only] = lists;
  if (only === undefined) return [];
  if (lists.length === 1) return [{ step: 'date', formats: [...only] }];
  const cell = exampleOf(column, column.date?.formats.example);
  const undecided = lists.map((formats): Reading => {
    const label = dayInWords(cell.example, formats);
    return { value: formats.join(' '), label, ...cell, step: { step: 'date', formats: [...formats] } };
  });
  return [{ step: 'date', undecided }];
}

export function listSteps(column: Column): Steps {
  const { list } = column;
  if (list === null || list.value === null) return [];
  const step: Step = { step: 'list', separator: list.value };
  if (list.verdict !== 'ambiguous') return [step];
  const cell = exampleOf(column, list.example);
  const undecided: Reading[] = [
    { value: 'list', label: `several values, separated by ${quoted(list.value)}`, ...cell, step },
    { value: 'text', label: 'one value', ...cell, step: { step: 'trim' } },
  ];
  return [{ step: 'list', undecided }];
}
