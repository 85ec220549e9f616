import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonicalDecimal, compareDecimals, fitsDouble } from '../../../../../src/domain/kernel/exact-decimal.js';
import { assertRefused, compiled } from '../attributes/attribute-fixture.js';

/** A decimal as BigInt units of 10^-scale: the slow, obvious reference. */
function unitsOf(text: string, scale: number): bigint {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  assert.ok(match, text);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const places = scale + Number(exponent) - fraction.length;
  assert.ok(places >= 0, `${text} is finer than the reference`);
  return BigInt(`${whole}${fraction}` || '0') * 10n ** BigInt(places) * (sign === '-' ? -1n : 1n);
}

const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: max });
const decimalText = fc
  .record({
    sign: fc.constantFrom('', '+', '-'),
    whole: digits(25),
    fraction: fc.option(digits(25), { nil: undefined }),
    exponent: fc.option(fc.integer({ min: -30, max: 30 }), { nil: undefined }),
  })
  .filter(({ whole, fraction }) => `${whole}${fraction ?? ''}` !== '')
  .map(({ sign, whole, fraction, exponent }) =>
    [sign, whole, fraction === undefined ? '' : `.${fraction}`, exponent === undefined ? '' : `E${exponent}`].join(''),
  );

describe('canonicalDecimal', () => {
  it('means the same as what was written, in one form only', () => {
    fc.assert(
      fc.property(decimalText, (text) => {
        const canonical = canonicalDecimal(text, '.');
        if (typeof canonical !== 'string') assert.fail(`${text}: ${canonical.fault}`);
        assert.equal(unitsOf(canonical, 100), unitsOf(text, 100));
        assert.match(canonical, /^(?:0|-?(?:[1-9][0-9]*|0)(?:\.[0-9]*[1-9])?)$/);
        assert.notEqual(canonical, '-0');
        assert.equal(canonicalDecimal(canonical, '.'), canonical);
      }),
    );
  });

  it('compares as the numbers do', () => {
    fc.assert(
      fc.property(decimalText, decimalText, (a, b) => {
        const [left, right] = [canonicalDecimal(a, '.'), canonicalDecimal(b, '.')] as [string, string];
        const difference = unitsOf(a, 100) - unitsOf(b, 100);
        assert.equal(Math.sign(compareDecimals(left, right)), difference < 0n ? -1 : difference > 0n ? 1 : 0);
      }),
    );
  });

  it('is a JSON number only where a double prints the same digits', () => {
    fc.assert(
      fc.property(decimalText, (text) => {
        const canonical = canonicalDecimal(text, '.') as string;
        if (fitsDouble(canonical)) assert.equal(String(Number(canonical)), canonical);
      }),
    );
    assert.ok(fitsDouble('123456789012345') && fitsDouble('-0.000001') && fitsDouble('999999999999.999'));
    assert.ok(!fitsDouble('1234567890123456') && !fitsDouble('0.0000001'));
  });
});

describe('DECIMAL values', () => {
  const point = compiled('DECIMAL');
  const comma = compiled('DECIMAL', {}, { decimalSeparator: ',' });

  it('are written without needless zeros, signs and exponents', () => {
    const cases = {
      '19.90': '19.9',
      '+1.5': '1.5',
      '007.10': '7.1',
      '.5': '0.5',
      '5.': '5',
      '-0.0': '0',
      '1.5E+3': '1500',
      '25e-1': '2.5',
      ' 3 ': '3',
      '0e999999999999': '0',
      '1E-7': '"0.0000001"',
      '12345678901234567890.5': '"12345678901234567890.5"',
    };
    for (const [text, json] of Object.entries(cases)) assert.equal(point.fromText(text), json, text);
  });

  it('never read 1.800,50 as 1.8, whichever the separator', () => {
    for (const text of ['1.800,50', '1,800.50', '1.800.000', "1'800", '1 800', '1\u00a0800']) {
      assertRefused(point.fromText(text), 'VALUE_TYPE', /thousands are not separated/);
      assertRefused(comma.fromText(text), 'VALUE_TYPE', /thousands are not separated/);
    }
    assertRefused(comma.fromText('1.800'), 'VALUE_TYPE', /decimal separator is ","/);
    assertRefused(point.fromText('1800,50'), 'VALUE_TYPE', /like 1800\.50/);
    assert.equal(comma.fromText('1800,50'), '1800.5');
  });

  it('are refused with VALUE_TYPE when they are no decimals', () => {
    for (const text of ['', '.', '-', 'abc', '1e', '1e+', '0x10', 'NaN', 'Infinity', '1..2', '€5', '5%']) {
      assertRefused(point.fromText(text), 'VALUE_TYPE');
    }
    for (const value of [true, null, [], '1,5', ' 1.5', '']) assertRefused(point.fromJson(value), 'VALUE_TYPE');
  });

  it('are taken in JSON as numbers or exact text', () => {
    assert.equal(point.fromJson(1.5), '1.5');
    assert.equal(point.fromJson(1e-7), '"0.0000001"');
    assert.equal(point.fromJson(0.1 + 0.2), '"0.30000000000000004"');
    assert.equal(point.fromJson('12345678901234567890'), '"12345678901234567890"');
    assert.equal(comma.fromJson('1.50'), '1.5');
  });

  it('are refused with VALUE_RANGE past what can be kept exactly', () => {
    assertRefused(point.fromJson(2 ** 53), 'VALUE_RANGE', /as text/);
    assertRefused(point.fromJson(Number.POSITIVE_INFINITY), 'VALUE_RANGE');
    for (const text of [
      '1e1000',
      '1e-1001',
      '1e999999999',
      '1e-99999999999',
      '9'.repeat(1001),
      `0.${'1'.repeat(1001)}`,
    ]) {
      assertRefused(point.fromText(text), 'VALUE_RANGE', /1000 digits/);
    }
    assert.equal(typeof point.fromText('9'.repeat(1000)), 'string');
    assert.equal(point.fromText(`${'0'.repeat(5000)}1`), '1');
  });

  it('keep their range exactly', () => {
    const ranged = compiled('DECIMAL', { validation: { range: { min: '0.1', max: '99999999999999999999.5' } } });
    assert.equal(ranged.fromText('0.10'), '0.1');
    assertRefused(ranged.fromText('0.09999999999999999999999'), 'VALUE_RANGE', /the minimum, 0\.1/);
    assertRefused(ranged.fromText('99999999999999999999.51'), 'VALUE_RANGE');
    assertRefused(ranged.fromText('-1'), 'VALUE_RANGE');
  });

  it('come back from a file as they were', () => {
    fc.assert(
      fc.property(decimalText, (text) => {
        const json = point.fromText(text);
        if (typeof json !== 'string') assert.fail(text);
        for (const attribute of [point, comma])
          assert.equal(attribute.fromText(attribute.toText(JSON.parse(json))), json);
      }),
    );
  });
});
