import assert from 'node:assert/strict';
import { PatternWork } from '../../../../../src/domain/catalog/model/compiled-attribute.js';
import { assertRefused, compiled } from '../attributes/attribute-fixture.js';

describe('TEXT values', () => {
  it('keep every character, leading zeros and outer space included', () => {
    const text = compiled('TEXT');
    for (const value of ['04006381333931', ' a ', 'x\ny', 'say "hi"', 'back\\slash', 'naïve', '日本', '😀', '\u0001']) {
      assert.equal(text.fromText(value), JSON.stringify(value));
      assert.equal(text.fromJson(value), JSON.stringify(value));
      assert.equal(text.toText(value), value);
    }
  });

  it('are refused with INVALID_TEXT where Postgres could not store them', () => {
    const text = compiled('TEXT');
    assertRefused(text.fromText('a\u0000b'), 'INVALID_TEXT', /NUL/);
    assertRefused(text.fromJson('a\ud800b'), 'INVALID_TEXT', /surrogate/);
    assertRefused(text.fromText('\udc00'), 'INVALID_TEXT');
  });

  it('are refused with a storable copy of themselves, cut to 200 characters', () => {
    const problem = compiled('TEXT').fromText(`\u0000${'😀'.repeat(150)}`);
    if (typeof problem === 'string') assert.fail('taken');
    assert.ok(problem.value.length <= 200);
    assert.ok(!problem.value.includes('\u0000') && !/\p{Surrogate}/u.test(problem.value));
    assert.ok(!/\p{Surrogate}/u.test(problem.message));
    assert.deepEqual(Object.keys(problem.at('Title')), ['code', 'column', 'message', 'value']);
  });

  it('have at most 64 kB of UTF-8', () => {
    const text = compiled('TEXT');
    assert.equal(typeof text.fromText('a'.repeat(65_536)), 'string');
    assertRefused(text.fromText('a'.repeat(65_537)), 'VALUE_TOO_LONG', /65537 bytes/);
    assertRefused(text.fromText('é'.repeat(32_769)), 'VALUE_TOO_LONG');
    assert.equal(typeof text.fromText('😀'.repeat(16_384)), 'string');
  });

  it('have at most maxLength characters, however many units these take', () => {
    const text = compiled('TEXT', { validation: { maxLength: 3 } });
    assert.equal(text.fromText('😀😀😀'), '"😀😀😀"');
    assertRefused(text.fromText('abcd'), 'VALUE_TOO_LONG', /3 characters/);
  });

  it('begin with, contain and match what they must', () => {
    const text = compiled('TEXT', { validation: { startWith: 'A', contains: '-', pattern: '[0-9]{2}$' } });
    assert.equal(text.fromText('A-12'), '"A-12"');
    assertRefused(text.fromText('a-12'), 'VALUE_PATTERN', /begin with "A"/);
    assertRefused(text.fromText('A12'), 'VALUE_PATTERN', /contain "-"/);
    assertRefused(text.fromText('A-1'), 'VALUE_PATTERN', /\[0-9\]\{2\}\$/);
  });

  it('match a pattern anywhere unless it is anchored', () => {
    assert.equal(compiled('TEXT', { validation: { pattern: 'b' } }).fromText('abc'), '"abc"');
    assertRefused(compiled('TEXT', { validation: { pattern: '^b$' } }).fromText('abc'), 'VALUE_PATTERN');
  });

  it('are refused where the size of the pattern times their length is above the limit', () => {
    const text = compiled('TEXT', { validation: { pattern: '[ab]*a[ab]{400}[cd]' } });
    assertRefused(text.fromText('ab'.repeat(1_000)), 'VALUE_PATTERN');
    assertRefused(
      text.fromText('ab'.repeat(2_000)),
      'VALUE_TOO_LONG',
      /size \(\d+\) times .* \(4000\).* more than 1000000/,
    );
  });

  it('share the limit with the other values of their row', () => {
    const patternWork = new PatternWork();
    const text = compiled('TEXT', { validation: { pattern: '[ab]*a[ab]{400}[cd]' } }, { patternWork });
    const value = 'ab'.repeat(1_000);
    assertRefused(text.fromText(value), 'VALUE_PATTERN');
    assertRefused(text.fromText(value), 'VALUE_TOO_LONG', /other patterns of the row/);
    patternWork.reset();
    assertRefused(text.fromText(value), 'VALUE_PATTERN');
  });

  it('are still read by a pattern that was stored when larger ones were allowed', () => {
    assertRefused(compiled('TEXT', { validation: { pattern: '^[ab]{900}$' } }).fromText('ab'), 'VALUE_PATTERN');
  });

  it('match pathological patterns in linear time', () => {
    const text = compiled('TEXT', { validation: { pattern: '(a+)+$' } });
    const before = performance.now();
    assertRefused(text.fromText(`${'a'.repeat(50_000)}!`), 'VALUE_PATTERN');
    assert.ok(performance.now() - before < 1000);
  });

  it('are one of oneOf', () => {
    const text = compiled('TEXT', { validation: { oneOf: ['Red', 'Green'] } });
    assert.equal(text.fromText('Red'), '"Red"');
    assertRefused(text.fromText('red'), 'VALUE_NOT_IN_OPTIONS', /did you mean "Red"/);
    assertRefused(text.fromJson('Ultramarine'), 'VALUE_NOT_IN_OPTIONS', /"Red", "Green"/);
  });

  it('are not made of other JSON values', () => {
    for (const value of [5, true, null, [], {}]) assertRefused(compiled('TEXT').fromJson(value), 'VALUE_TYPE');
  });
});
