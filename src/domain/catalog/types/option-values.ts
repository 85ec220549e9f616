/** Reads and writes values of OPTIONS attributes: one of a list, stored as text. */

import { canonicalDecimal } from '../../kernel/exact-decimal.js';
import type { AttributeDefinition } from '../attribute-definition.js';
import type { ValueCodec, ValueFormat } from './compiled-attribute.js';
import { notAllowed } from './not-allowed.js';
import { describeJson, ValueProblem } from './value-problem.js';

/**
 * TEXT options are matched exactly, case and space included. INTEGER and DECIMAL options by their number: `05` is `5`,
 * and in files `1,5` is `1.5` where the comma is the job's decimal separator.
 */
export function optionValues(definition: AttributeDefinition, format: ValueFormat): ValueCodec {
  const options = definition.options ?? [];
  const numeric = definition.optionsType === 'INTEGER' || definition.optionsType === 'DECIMAL';
  const separator = format.decimalSeparator;
  const json: ReadonlyMap<string, string> = new Map(options.map((option) => [option, JSON.stringify(option)]));

  function fromNumeral(text: string, by: '.' | ','): string | undefined {
    if (!numeric) return undefined;
    const canonical = canonicalDecimal(text.trim(), by);
    return typeof canonical === 'string' ? json.get(canonical) : undefined;
  }

  return {
    fromText: numeric
      ? (text) => fromNumeral(text, separator) ?? notAllowed(options, text)
      : (text) => json.get(text) ?? notAllowed(options, text),
    fromJson(value) {
      if (typeof value === 'string') return json.get(value) ?? fromNumeral(value, '.') ?? notAllowed(options, value);
      if (!numeric || typeof value !== 'number') return notOption(value, numeric);
      return fromNumeral(String(value), '.') ?? notAllowed(options, String(value));
    },
    toText(value) {
      const text = String(value ?? '');
      return numeric && separator === ',' ? text.replace('.', ',') : text;
    },
  };
}

function notOption(value: unknown, numeric: boolean): ValueProblem {
  const wanted = numeric ? 'write one of the options as a number or as text' : 'write one of the options as text';
  return new ValueProblem('VALUE_TYPE', `${describeJson(value)} is no option: ${wanted}`, value);
}
