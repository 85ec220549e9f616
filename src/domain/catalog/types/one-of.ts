/** The rule `oneOf`: narrows a type to the values that a definition lists. */
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ValueProblem } from '../../kernel/value-problem.js';
import type { AttributeValidation } from '../model/attribute-definition.js';
import type { ValueCodec } from '../model/compiled-attribute.js';
import type { ValidationDraft } from './attribute-draft.js';
import { notAllowed } from './not-allowed.js';
import { type GivenReader, resolveValues } from './resolve-values.js';

const BEYOND_ASCII = /[\u0080-\uffff]/;

/**
 * Finds the listed text that equals a text if accents may be written as characters of their own, which nobody sees. It
 * is for texts that are not listed as they are.
 */
export function listedInNfc(listed: () => Iterable<string>): (text: string) => string | undefined {
  let known: ReadonlyMap<string, string> | undefined;
  return (text) => {
    if (!BEYOND_ASCII.test(text)) return undefined;
    // Of two that are equal in this sense, the first one.
    known ??= new Map([...listed()].reverse().map((one) => [one.normalize('NFC'), one]));
    return known.get(text.normalize('NFC'));
  };
}

/**
 * A codec that accepts only the listed values, which are compared in their canonical form and, if need be, in NFC.
 * @param oneOf the allowed values; undefined allows all
 */
export function onlyListed(
  codec: ValueCodec,
  oneOf: AttributeValidation['oneOf'],
  readListed: GivenReader = codec.fromJson,
): ValueCodec {
  if (oneOf === undefined) return codec;
  const allowed = new Set(oneOf.map(readListed));
  const inNfc = listedInNfc(() => [...allowed].filter((json) => typeof json === 'string'));
  function narrowed(json: string | ValueProblem): string | ValueProblem {
    if (typeof json !== 'string' || allowed.has(json)) return json;
    const equal = inNfc(json);
    if (equal !== undefined) return equal;
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
