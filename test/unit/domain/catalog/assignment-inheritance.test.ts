/** What categories inherit. */
import assert from 'node:assert/strict';
import { AssignmentInheritance } from '../../../../src/domain/catalog/assignment-inheritance.js';

describe('AssignmentInheritance', () => {
  const inheritance = new AssignmentInheritance();
  const top = inheritance.attributesOf(undefined, [
    { attributeId: 'title', mandatory: true },
    { attributeId: 'colour', mandatory: false },
  ]);

  it('leaves what is assigned to the category itself its own', () => {
    assert.deepEqual(top, [
      { attributeId: 'title', mandatory: true, inherited: false },
      { attributeId: 'colour', mandatory: false, inherited: false },
    ]);
  });

  it('puts what is inherited first', () => {
    assert.deepEqual(inheritance.attributesOf(top, [{ attributeId: 'size', mandatory: false }]), [
      { attributeId: 'title', mandatory: true, inherited: true },
      { attributeId: 'colour', mandatory: false, inherited: true },
      { attributeId: 'size', mandatory: false, inherited: false },
    ]);
  });

  it('goes by the nearest assignment, which keeps the place of the first', () => {
    assert.deepEqual(inheritance.attributesOf(top, [{ attributeId: 'title', mandatory: false }]), [
      { attributeId: 'title', mandatory: false, inherited: false },
      { attributeId: 'colour', mandatory: false, inherited: true },
    ]);
  });

  it('shares one array among all categories that add nothing', () => {
    const child = inheritance.attributesOf(top, []);
    assert.equal(inheritance.attributesOf(top, []), child);
    assert.equal(inheritance.attributesOf(child, []), child);
  });
});
