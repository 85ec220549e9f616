/** Compiles an attribute's definition into functions that read, check and write its values. */
import type { AttributeDefinition } from '../attribute-definition.js';
import type { CompiledAttribute, ValueFormat } from './compiled-attribute.js';

/**
 * @param definition one that parse-attribute-input and decide-attribute-change let through
 * @param format how the job's file writes numbers and dates
 * @throws Error when the definition's pattern, format or range does not compile, which a checked definition's does
 */
export function compileAttribute(definition: AttributeDefinition, format: ValueFormat): CompiledAttribute {
  throw new Error(`not compiled yet: ${definition.type} ${format.decimalSeparator}`);
}
