/** Whether a stored value is one that an attribute of a type can have. */
import { ATTRIBUTE_TYPES } from './attribute-types.js';
import type { AttributeDefinition } from './model/attribute-definition.js';
import type { ValueCodec } from './model/compiled-attribute.js';

const codecs = new Map<AttributeDefinition['type'], ValueCodec>();

/** Readers of the type can read such a value, whatever rules the attribute has by now: options may have been taken away. */
export function isOfType(value: unknown, definition: AttributeDefinition): boolean {
  if (definition.type === 'OPTIONS') return typeof value === 'string';
  const json = codecOf(definition).fromJson(value);
  // The form in which it is stored is one of several in which it may be given.
  return typeof json === 'string' && JSON.parse(json) === value;
}

/** What values of the type are without rules. */
function codecOf({ id, name, type, position }: AttributeDefinition): ValueCodec {
  const known = codecs.get(type);
  if (known !== undefined) return known;
  const codec = ATTRIBUTE_TYPES[type].codec({ id, name, type, position, validation: {} }, { decimalSeparator: '.' });
  codecs.set(type, codec);
  return codec;
}
