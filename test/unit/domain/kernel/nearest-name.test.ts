/** Names guessed from misspelt ones. */
import assert from 'node:assert/strict';
import { NameHints, nearestName } from '../../../../src/domain/kernel/nearest-name.js';

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

describe('NameHints', () => {
  const many = Array.from({ length: 30_000 }, (_, index) => `Attribute ${index}`);
  const nameOf = (name: string) => name;

  it('finds what nearestName finds', () => {
    const hints = new NameHints(() => names, nameOf);
    for (const name of ['color', 'WIEGHT', 'Ttile', 'something else', '']) {
      assert.equal(hints.nearest(name), nearest(name));
      assert.equal(hints.nearest(name), nearest(name), 'asked again');
    }
  });

  it('does a bounded amount of work, however many names are wrong', () => {
    let read = 0;
    const hints = new NameHints(
      () => many,
      (name) => {
        read++;
        return name;
      },
    );
    const found = Array.from({ length: 1_000 }, (_, index) => hints.nearest(`Atribute ${index}`));
    assert.deepEqual(found.slice(0, 2), ['Attribute 0', 'Attribute 1']);
    assert.equal(found.at(-1), undefined);
    assert.ok(found.filter((one) => one !== undefined).length < 10);
    assert.equal(read, many.length, 'the keys are made once');
    assert.equal(hints.nearest('Atribute 0'), 'Attribute 0', 'what was found is known');
  });
});
