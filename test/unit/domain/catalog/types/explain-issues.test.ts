/** Generated from the schemas of elements: every member misspelt and with values of other types. */
import assert from 'node:assert/strict';
import { attributeInputSchema } from '../../../../../src/domain/catalog/attributes/attribute-input.js';
import { parseAttributeInput } from '../../../../../src/domain/catalog/attributes/parse-attribute-input.js';
import { categoryElementSchema } from '../../../../../src/domain/catalog/categories/category-input.js';
import { parseCategoryInput } from '../../../../../src/domain/catalog/categories/parse-category-input.js';
import { around, misspellings, partOf, VALIDATOR_TEXT } from '../../../../support/models/request-members.js';

const ODD_VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  1e300,
  '',
  'x',
  'a\u0000b',
  'x'.repeat(5_000),
  [],
  [null],
  ['x', 1],
  {},
  { x: 1 },
];

for (const { of, schema, read } of [
  { of: 'an attribute', schema: attributeInputSchema, read: (element: unknown) => parseAttributeInput(element) },
  { of: 'a category', schema: categoryElementSchema, read: parseCategoryInput },
]) {
  describe(`the element of ${of}`, () => {
    const { members } = partOf('body', schema);
    const messagesOf = (element: unknown): readonly string[] => {
      const outcome = read(element);
      const problems = Array.isArray(outcome) ? outcome : 'problems' in outcome ? (outcome.problems ?? []) : [];
      return problems.map(({ message }) => message);
    };

    it('with a misspelt member is refused with the near name', () => {
      for (const member of members) {
        for (const misspelt of misspellings(member)) {
          const messages = messagesOf(around(member.parent, { [misspelt]: 'x' }));
          assert.ok(
            messages.some((one) => one.includes(misspelt) && one.includes('did you mean "')),
            `${misspelt}: ${messages.join('; ')}`,
          );
        }
      }
    });

    it('is told what is wrong in no words of the validator', () => {
      for (const { parent, name } of members) {
        for (const value of ODD_VALUES) {
          for (const message of messagesOf(around(parent, { name: 'A', [name]: value }))) {
            assert.doesNotMatch(message, VALIDATOR_TEXT);
          }
        }
      }
    });
  });
}
