/** Attributes and values of every type, generated from the examples that the registry of types holds. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ATTRIBUTE_TYPES } from '../../../src/domain/catalog/attribute-types.js';
import { resolveDefinition } from '../../../src/domain/catalog/attributes/resolve-definition.js';
import { compileAttribute } from '../../../src/domain/catalog/compile-attribute.js';
import {
  ATTRIBUTE_TYPE_NAMES,
  type AttributeDefinition,
  type AttributeTypeName,
} from '../../../src/domain/catalog/model/attribute-definition.js';
import type { AttributeDraft } from '../../../src/domain/catalog/types/attribute-draft.js';
import type { AttributeType } from '../../../src/domain/catalog/types/attribute-type.js';

export type Value = string | number | boolean;
type Example = AttributeType['examples'][number];

/** Characters that are special in one of the types or file formats. */
const SPECIAL = [
  ...['0', '1', '9', '.', ',', '-', '+', 'e', 'E', ' ', '\t', '\n', '\r', '"', "'", '\\', '/', ':', ';', '?', '#', '@'],
  ...[
    '%',
    '&',
    '<',
    '>',
    '[',
    ']',
    '{',
    '}',
    '|',
    '^',
    '`',
    '~',
    '_',
    'a',
    'Z',
    'x',
    'n',
    'ü',
    'ß',
    '漢',
    '😀',
    '\x7f',
  ],
];

/** Every type with each of its examples. */
export const EXAMPLES: readonly {
  readonly name: AttributeTypeName;
  readonly type: AttributeType;
  readonly example: Example;
}[] = ATTRIBUTE_TYPE_NAMES.flatMap((name) => {
  const type: AttributeType = ATTRIBUTE_TYPES[name];
  return type.examples.map((example) => ({ name, type, example }));
});

/** The definition that a draft makes of an attribute of the type. */
export function exampleDefinition(type: AttributeTypeName, draft: AttributeDraft): AttributeDefinition {
  const definition = resolveDefinition({ id: '65a1b2c3d4e5f60718293a4b', name: 'Test', type, position: 1 }, draft);
  if (Array.isArray(definition)) assert.fail(definition.map(({ message }) => message).join('\n'));
  return definition;
}

/** Cells that a type accepts, cells that it refuses, and texts that are nearly one of them. */
export function cellsNear(type: AttributeType): fc.Arbitrary<string> {
  const cells = type.examples.flatMap((example) => [
    ...Object.keys(example.cells),
    ...Object.keys(example.refusedCells),
    ...example.values.map(String),
  ]);
  return fc.oneof(fc.constantFrom(...cells), near(cells), fc.string());
}

/** Values that an attribute of the type accepts, those of `others` among them. */
export function acceptedValues(
  definition: AttributeDefinition,
  others: readonly fc.Arbitrary<Value>[],
): fc.Arbitrary<Value> {
  const type: AttributeType = ATTRIBUTE_TYPES[definition.type];
  const { fromJson } = compileAttribute(definition, { decimalSeparator: '.' });
  const accepts = (value: Value) => typeof fromJson(value) === 'string';
  const [first, ...rest] = type.examples.flatMap(({ values }) => values).filter(accepts);
  if (first === undefined) return fc.oneof(...others);
  const texts = [first, ...rest].filter((value) => typeof value === 'string');
  const generated = [...others, ...(texts.length > 0 ? [near(texts)] : [])];
  const accepted = generated.map((values) => values.map((value) => (value !== '' && accepts(value) ? value : first)));
  return fc.oneof(fc.constantFrom(first, ...rest), ...accepted);
}

/** The texts with a few characters removed, replaced or added. */
function near(texts: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(40), removed: fc.nat(2), added: fc.constantFrom('', ...SPECIAL) });
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([text, edits]) =>
      edits.reduce((made, { at, removed, added }) => {
        const from = at % (made.length + 1);
        return `${made.slice(0, from)}${added}${made.slice(from + removed)}`;
      }, text),
    )
    .map((text) => text.toWellFormed());
}
