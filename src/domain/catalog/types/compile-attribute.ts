/** Compiles an attribute's definition into functions that read, check and write its values. */
import type { AttributeDefinition } from '../attribute-definition.js';
import { booleanValues } from './boolean-values.js';
import type { CompiledAttribute, ValueCodec, ValueFormat } from './compiled-attribute.js';
import { datetimeValues } from './datetime-values.js';
import { decimalValues } from './decimal-values.js';
import { integerValues } from './integer-values.js';
import { notAllowed } from './not-allowed.js';
import { optionValues } from './option-values.js';
import { textValues } from './text-values.js';
import type { ValueProblem } from './value-problem.js';

/**
 * @param definition one that parse-attribute-input and decide-attribute-change let through
 * @param format how the job's file writes numbers and dates
 * @throws Error when the definition's pattern, format or range does not compile, which a checked definition's does
 */
export function compileAttribute(definition: AttributeDefinition, format: ValueFormat): CompiledAttribute {
  const { fromText, fromJson, toText } = withOneOf(definition, codecOf(definition, format));
  return { definition, jsonKey: JSON.stringify(definition.id), fromText, fromJson, toText };
}

function codecOf(definition: AttributeDefinition, format: ValueFormat): ValueCodec {
  const { type, validation } = definition;
  switch (type) {
    case 'TEXT':
      return textValues(validation);
    case 'BOOLEAN':
      return booleanValues();
    case 'SERIAL':
      return integerValues(undefined);
    case 'INTEGER':
      return integerValues(validation.range);
    case 'DECIMAL':
      return decimalValues(validation.range, format.decimalSeparator);
    case 'DATETIME':
      return datetimeValues(definition, format.dateFormat);
    case 'OPTIONS':
      return optionValues(definition, format);
  }
}

/** Narrows any type to the values that the definition lists; compared in their canonical form. */
function withOneOf(definition: AttributeDefinition, codec: ValueCodec): ValueCodec {
  const { oneOf } = definition.validation;
  if (oneOf === undefined) return codec;
  const allowed = new Set(
    oneOf.map((text) => (definition.type === 'INTEGER' ? codec.fromText(text) : codec.fromJson(text))),
  );
  function narrowed(json: string | ValueProblem): string | ValueProblem {
    if (typeof json !== 'string' || allowed.has(json)) return json;
    return notAllowed(oneOf ?? [], String(JSON.parse(json)));
  }
  return {
    fromText: (text) => narrowed(codec.fromText(text)),
    fromJson: (value) => narrowed(codec.fromJson(value)),
    toText: codec.toText,
  };
}
