/** Which attributes can play which parts. */
import assert from 'node:assert/strict';
import { mappingProblem } from '../../../../../src/domain/catalog/attributes/mapping-problem.js';
import type { AttributeDefinition } from '../../../../../src/domain/catalog/model/attribute-definition.js';

const attribute = (fields: Partial<AttributeDefinition>): AttributeDefinition => ({
  id: '0'.repeat(24),
  name: 'Code',
  type: 'TEXT',
  position: 1,
  validation: {},
  ...fields,
});

describe('mapping rules', () => {
  it('take a text that is required and unique as the SKU', () => {
    assert.equal(mappingProblem('sku', attribute({ validation: { required: true, unique: true } })), null);
    assert.match(mappingProblem('sku', attribute({ validation: { required: true } })) ?? '', /required and unique/);
    assert.match(mappingProblem('sku', attribute({ type: 'INTEGER' })) ?? '', /type TEXT, and "Code" is INTEGER/);
  });

  it('take texts as title and image, booleans as active and isVariant', () => {
    assert.equal(mappingProblem('title', attribute({})), null);
    assert.equal(mappingProblem('image', attribute({})), null);
    assert.equal(mappingProblem('active', attribute({ type: 'BOOLEAN' })), null);
    assert.equal(mappingProblem('isVariant', attribute({ type: 'BOOLEAN' })), null);
    assert.match(mappingProblem('active', attribute({})) ?? '', /type BOOLEAN/);
    assert.match(mappingProblem('title', attribute({ type: 'OPTIONS' })) ?? '', /type TEXT/);
  });
});
