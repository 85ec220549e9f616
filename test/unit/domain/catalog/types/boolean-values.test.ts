import assert from 'node:assert/strict';
import { assertRefused, compiled } from '../attributes/attribute-fixture.js';

describe('BOOLEAN values', () => {
  const boolean = compiled('BOOLEAN');

  it('are spelled in several ways in files', () => {
    for (const text of ['true', 'TRUE', ' Yes ', '1']) assert.equal(boolean.fromText(text), 'true');
    for (const text of ['false', 'False', 'NO', '0']) assert.equal(boolean.fromText(text), 'false');
    for (const text of ['2', 'ja', '-', 'truee']) assertRefused(boolean.fromText(text), 'VALUE_TYPE');
  });

  it('are only booleans in JSON', () => {
    assert.equal(boolean.fromJson(true), 'true');
    assert.equal(boolean.fromJson(false), 'false');
    for (const value of ['true', 1, 0, null]) assertRefused(boolean.fromJson(value), 'VALUE_TYPE');
  });
});
