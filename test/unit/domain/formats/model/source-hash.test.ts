import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hashSeed, sourceHash } from '../../../../../src/domain/formats/model/source-hash.js';

/** 53 bits hold a million distinct values without a collision, but for one time in ten thousand. */
function assertDistinct(hashes: Iterable<number>, count: number): void {
  assert.equal(new Set(hashes).size, count);
}

describe('the hash of a row', () => {
  it('is a whole number that a double holds', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.integer(), (texts, seed) => {
        const hash = sourceHash(texts, seed);
        assert.ok(Number.isSafeInteger(hash) && hash >= 0);
        assert.equal(sourceHash([...texts], seed), hash);
      }),
    );
  });

  it('differs where one character differs, wherever it stands and however little', () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
    const hashes = [sourceHash([text], 0)];
    for (let at = 0; at < text.length; at++) {
      for (const bit of [1, 2, 4, 64, 0x100, 0x8000]) {
        const changed = String.fromCharCode(text.charCodeAt(at) ^ bit);
        hashes.push(sourceHash([text.slice(0, at) + changed + text.slice(at + 1)], 0));
      }
    }
    assertDistinct(hashes, hashes.length);
  });

  it('differs for rows that count up: SKUs, prices, stocks', () => {
    function* hashes(): Generator<number> {
      for (let index = 0; index < 200_000; index++) {
        yield sourceHash([`SKU-${index}`, 'Storage->Disk', `${index % 97}.${index % 10}0`, String(index % 1000)], 1);
      }
    }
    assertDistinct(hashes(), 200_000);
  });

  it('differs where two characters change places or change together', () => {
    const hashes: number[] = [];
    for (let a = 32; a < 127; a++)
      for (let b = 32; b < 127; b++) hashes.push(sourceHash([String.fromCharCode(a, b)], 0));
    assertDistinct(hashes, 95 * 95);
  });

  it('differs where the same characters are cut into cells otherwise', () => {
    const rows = [
      ['ab', ''],
      ['a', 'b'],
      ['', 'ab'],
      ['ab'],
      ['ab', '', ''],
      ['', '', 'ab'],
      ['', 'a', 'b'],
      [],
      [''],
      ['', ''],
      ['a\u0001b'],
      ['a\u0000b'],
      ['a,b'],
    ];
    assertDistinct(
      rows.map((row) => sourceHash(row, 0)),
      rows.length,
    );
  });

  it('differs under each seed', () => {
    const seeds = Array.from({ length: 10_000 }, (_, index) => index - 5_000);
    assertDistinct(
      seeds.map((seed) => sourceHash(['a', 'b'], seed)),
      seeds.length,
    );
  });

  it('spreads over its bits: each is set in about half of the hashes, and changes with half of the changes', () => {
    const count = 20_000;
    const set = new Array(53).fill(0);
    const flipped = new Array(53).fill(0);
    for (let index = 0; index < count; index++) {
      const bits = sourceHash([`row ${index}`], 0)
        .toString(2)
        .padStart(53, '0');
      const others = sourceHash([`row ${index} `], 0)
        .toString(2)
        .padStart(53, '0');
      for (let bit = 0; bit < 53; bit++) {
        if (bits[bit] === '1') set[bit]++;
        if (bits[bit] !== others[bit]) flipped[bit]++;
      }
    }
    for (let bit = 0; bit < 53; bit++) {
      assert.ok(Math.abs(set[bit] / count - 0.5) < 0.03, `bit ${bit} is set in ${set[bit]} of ${count}`);
      assert.ok(Math.abs(flipped[bit] / count - 0.5) < 0.03, `bit ${bit} flips in ${flipped[bit]} of ${count}`);
    }
  });
});

describe('the seed of a job', () => {
  it('differs with the version, the channel and the options', () => {
    const seeds: number[] = [];
    for (let version = 1; version <= 50; version++) {
      for (const channel of [null, 0, 1, 2, 50]) {
        for (const separator of ['', '.', ',']) {
          for (const format of ['', 'dd.MM.yyyy', 'MM.dd.yyyy'])
            seeds.push(hashSeed(version, channel, separator, format));
        }
      }
    }
    assert.equal(new Set(seeds).size, seeds.length);
    assert.ok(seeds.every((seed) => seed === (seed | 0)));
  });
});
