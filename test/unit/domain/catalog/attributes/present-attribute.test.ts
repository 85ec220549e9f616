import assert from 'node:assert/strict';
import { presentAttribute } from '../../../../../src/domain/catalog/attributes/present-attribute.js';
import { definitionOf } from './attribute-fixture.js';

describe('presentAttribute', () => {
  it('shows every field, null where the type has none', () => {
    const at = new Date('2024-01-31T09:30:00Z');
    const presented = presentAttribute(definitionOf('BOOLEAN', { validation: { required: true } }), at, at);
    assert.deepEqual(
      Object.keys(presented).join(' '),
      'id name type description textSubType optionsType options serialStart format locales validation createdOn modifiedOn',
    );
    assert.equal(presented.options, null);
    assert.deepEqual(presented.validation, { required: true });
    assert.equal(presented.createdOn, '2024-01-31T09:30:00.000Z');
  });
});
