/** The rule `oneOf`: narrows a type to the values that a definition lists. */
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ValueProblem } from '../../kernel/value-problem.js';
import type { AttributeValidation } from '../attribute-definition.js';
import type { ValueCodec } from '../compiled-attribute.js';
import type { ValidationDraft } from './attribute-draft.js';
import { notAllowed } from './not-allowed.js';
import { type GivenReader, resolveValues } from './resolve-values.js';

/**
 * A codec that accepts only the listed values, which are compared in their canonical form.
 * @param oneOf the allowed values; undefined allows all
 */
export function onlyListed(
  codec: ValueCodec,
  oneOf: AttributeValidation['oneOf'],
  readListed: GivenReader = codec.fromJson,
): ValueCodec {
  if (oneOf === undefined) return codec;
  const allowed = new Set(oneOf.map(readListed));
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

/** The rule in its canonical form; nothing when no value is listed. */
export function resolveOneOf(
  read: GivenReader,
  oneOf: ValidationDraft['oneOf'],
  problems: RowProblem[],
): Pick<AttributeValidation, 'oneOf'> {
  if (!oneOf || oneOf.length === 0) return {};
  return { oneOf: resolveValues('validation.oneOf', read, oneOf, problems) };
}
