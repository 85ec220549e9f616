import assert from 'node:assert/strict';
import { BOOLEAN } from '../../../../../src/domain/catalog/types/boolean.js';
import { NOT_ENCODED } from '../../../../../src/domain/catalog/types/byte-encoder.js';
import { assertRefused, compiled, definitionOf } from '../attributes/attribute-fixture.js';

describe('BOOLEAN values', () => {
  const boolean = compiled('BOOLEAN');

  it('are spelled in several ways in files', () => {
    for (const text of ['true', 'TRUE', ' Yes ', '1']) assert.equal(boolean.fromText(text), 'true');
    for (const text of ['false', 'False', 'NO', '0']) assert.equal(boolean.fromText(text), 'false');
    for (const text of ['2', 'ja', '-', 'truee']) assertRefused(boolean.fromText(text), 'VALUE_TYPE');
  });

  it('are taken from their bytes as JSON and as spreadsheets write them', () => {
    const encode = BOOLEAN.encoder(definitionOf('BOOLEAN'), { decimalSeparator: '.' });
    const taken = (text: string) => {
      const target = Buffer.alloc(16);
      const end = encode?.(Buffer.from(`-${text}-`), 1, 1 + text.length, target, 2) ?? NOT_ENCODED;
      return end === NOT_ENCODED ? null : target.toString('latin1', 2, end);
    };
    assert.deepEqual(['true', 'TRUE'].map(taken), ['true', 'true']);
    assert.deepEqual(['false', 'FALSE'].map(taken), ['false', 'false']);
    assert.deepEqual(['True', 'fALSE', 'FALSY', 'yes', '1', 'TRUE '].map(taken), [null, null, null, null, null, null]);
  });

  it('are only booleans in JSON', () => {
    assert.equal(boolean.fromJson(true), 'true');
    assert.equal(boolean.fromJson(false), 'false');
    for (const value of ['true', 1, 0, null]) assertRefused(boolean.fromJson(value), 'VALUE_TYPE');
  });
});
