import assert from 'node:assert/strict';
import { isReservedName } from '../../../../../src/domain/catalog/model/attribute-definition.js';
import { attributeKey } from '../../../../../src/domain/kernel/attribute-key.js';

describe('attributeKey', () => {
  it('ignores case, outer space and the form of composed letters', () => {
    assert.equal(attributeKey(' Größe '), attributeKey('GRÖSSE'));
    assert.equal(attributeKey('Cafe\u0301'), attributeKey('CAFÉ'));
    assert.equal(attributeKey('ΟΔΟΣ'), attributeKey('οδοσ'));
  });

  it('keeps different names apart', () => {
    assert.notEqual(attributeKey('Color'), attributeKey('Colour'));
    assert.notEqual(attributeKey('Weight kg'), attributeKey('Weightkg'));
  });
});

describe('isReservedName', () => {
  it('knows the fixed columns of item files, whatever their case', () => {
    for (const name of ['sku', ' Category Node', 'HIERARCHY NODE', 'parent sku', 'Items'])
      assert.ok(isReservedName(name));
    assert.ok(!isReservedName('Item'));
  });
});
