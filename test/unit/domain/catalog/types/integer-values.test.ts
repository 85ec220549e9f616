import assert from 'node:assert/strict';
import { assertRefused, compiled } from '../attributes/attribute-fixture.js';

describe('INTEGER values', () => {
  const integer = compiled('INTEGER');

  it('are read with signs, leading zeros and outer space, and written plainly', () => {
    const cases = {
      '5': '5',
      '+5': '5',
      '-5': '-5',
      '007': '7',
      ' 12 ': '12',
      '-0': '0',
      '9007199254740991': '9007199254740991',
    };
    for (const [text, json] of Object.entries(cases)) assert.equal(integer.fromText(text), json);
    assert.equal(integer.fromJson(-0), '0');
    assert.equal(integer.fromJson(1e15), '1000000000000000');
  });

  it('are refused with VALUE_TYPE when they are not whole or not plain digits', () => {
    for (const text of ['1.0', '1,000', '1e3', 'x', '--1', '١']) assertRefused(integer.fromText(text), 'VALUE_TYPE');
    for (const value of [1.5, '5', true, null]) assertRefused(integer.fromJson(value), 'VALUE_TYPE');
  });

  it('are refused with VALUE_RANGE where a double would lose digits', () => {
    for (const text of ['9007199254740992', '-9007199254740993', '9'.repeat(400)]) {
      assertRefused(integer.fromText(text), 'VALUE_RANGE', /lose digits/);
    }
    for (const value of [2 ** 53, -1e300, Number.POSITIVE_INFINITY])
      assertRefused(integer.fromJson(value), 'VALUE_RANGE');
  });

  it('keep their range, both ends included', () => {
    const ranged = compiled('INTEGER', { validation: { range: { min: -2, max: '3' } } });
    for (const value of [-2, 0, 3]) assert.equal(ranged.fromJson(value), String(value));
    assertRefused(ranged.fromText('-3'), 'VALUE_RANGE', /the minimum, -2/);
    assertRefused(ranged.fromText('+4'), 'VALUE_RANGE', /the maximum, 3/);
  });

  it('are one of oneOf, however they are written', () => {
    const listed = compiled('INTEGER', { validation: { oneOf: ['5', '10'] } });
    assert.equal(listed.fromText('05'), '5');
    assertRefused(listed.fromJson(6), 'VALUE_NOT_IN_OPTIONS');
  });
});

describe('SERIAL values', () => {
  it('are whole numbers when they are given', () => {
    const serial = compiled('SERIAL', { serialStart: 100 });
    assert.equal(serial.fromText('7'), '7');
    assert.equal(serial.fromJson(7), '7');
    assertRefused(serial.fromText('A7'), 'VALUE_TYPE');
  });
});
