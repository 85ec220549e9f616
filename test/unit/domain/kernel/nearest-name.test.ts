/** Names guessed from misspelt ones. */
import assert from 'node:assert/strict';
import { nearestName } from '../../../../src/domain/kernel/nearest-name.js';

const names = ['Title', 'Colour', 'Width', 'Weight'];
const nearest = (name: string): string | undefined => nearestName(name, names, (candidate) => candidate);

describe('nearestName', () => {
  it('finds the name that few changes lead to, whatever its case', () => {
    assert.equal(nearest('color'), 'Colour');
    assert.equal(nearest('WIEGHT'), 'Weight');
    assert.equal(nearest('Ttile'), 'Title');
  });

  it('finds the only name that begins with it', () => {
    assert.equal(
      nearestName('decimal', ['delimiter', 'decimalSeparator'], (name) => name),
      'decimalSeparator',
    );
    assert.equal(
      nearestName('decimal', ['decimalSeparator', 'decimalPlaces'], (name) => name),
      undefined,
    );
    assert.equal(
      nearestName('dec', ['decimalSeparator'], (name) => name),
      undefined,
    );
  });

  it('finds none where too much would have to change', () => {
    assert.equal(nearest('Manufacturer'), undefined);
    assert.equal(nearest(''), undefined);
    assert.equal(nearest('t'.repeat(100_000)), undefined);
  });
});
