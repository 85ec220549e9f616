/** Compiles an attribute's definition into functions that read, check and write its values. */
import { ATTRIBUTE_TYPES } from './attribute-types.js';
import type { AttributeDefinition } from './model/attribute-definition.js';
import type { CompiledAttribute, ValueFormat } from './model/compiled-attribute.js';

/**
 * @param definition a definition that parse-attribute-input and decide-attribute-change have accepted
 * @param format how the job's file writes numbers and dates
 * @throws Error when the definition's pattern, format or range does not compile; those of a checked definition do
 */
export function compileAttribute(definition: AttributeDefinition, format: ValueFormat): CompiledAttribute {
  const { codec, isFreeText, choices } = ATTRIBUTE_TYPES[definition.type];
  const { fromText, fromJson, toText, doubt } = codec(definition, format);
  const isOpenText = isFreeText === true && choices(definition) === undefined;
  return { definition, jsonKey: JSON.stringify(definition.id), fromText, fromJson, toText, doubt, isOpenText };
}
