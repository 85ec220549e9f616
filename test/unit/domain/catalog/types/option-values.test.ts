import assert from 'node:assert/strict';
import { assertRefused, compiled } from '../attributes/attribute-fixture.js';

describe('OPTIONS values', () => {
  const sizes = compiled('OPTIONS', { options: ['Small', 'Medium', 'Large', 'X-Large', 'NULL', '5"'] });

  it('are exactly one of the options', () => {
    for (const option of ['Small', 'NULL', '5"']) {
      assert.equal(sizes.fromText(option), JSON.stringify(option));
      assert.equal(sizes.fromJson(option), JSON.stringify(option));
    }
  });

  it('are refused with the nearest option, or the first few', () => {
    assertRefused(sizes.fromText('small'), 'VALUE_NOT_IN_OPTIONS', /did you mean "Small"/);
    assertRefused(sizes.fromText('Medum'), 'VALUE_NOT_IN_OPTIONS', /did you mean "Medium"/);
    assertRefused(sizes.fromJson('Gigantic thing'), 'VALUE_NOT_IN_OPTIONS', /"Small", "Medium", .* and 1 more/);
    assertRefused(sizes.fromJson(5), 'VALUE_TYPE');
    assertRefused(sizes.fromText('constructor'), 'VALUE_NOT_IN_OPTIONS');
  });

  it('are matched by their number where the options are numbers', () => {
    const watts = compiled('OPTIONS', { optionsType: 'DECIMAL', options: ['1.5', '20'] }, { decimalSeparator: ',' });
    assert.equal(watts.fromText('1,50'), '"1.5"');
    assert.equal(watts.fromText('020'), '"20"');
    assert.equal(watts.fromJson(1.5), '"1.5"');
    assert.equal(watts.fromJson('1.5'), '"1.5"');
    assert.equal(watts.toText('1.5'), '1,5');
    assertRefused(watts.fromText('1.5'), 'VALUE_NOT_IN_OPTIONS');
    assertRefused(watts.fromJson(2), 'VALUE_NOT_IN_OPTIONS');
  });

  it('of a wrong column cost little to refuse', () => {
    const many = compiled('OPTIONS', {
      options: Array.from({ length: 10_000 }, (_, index) => `Option number ${index}`),
    });
    const before = performance.now();
    for (let row = 0; row < 10_000; row++) assertRefused(many.fromText(`wrong ${row}`), 'VALUE_NOT_IN_OPTIONS');
    assert.ok(performance.now() - before < 2000);
  });
});
