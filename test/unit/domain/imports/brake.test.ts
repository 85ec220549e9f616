import assert from 'node:assert/strict';
import fc from 'fast-check';
import { brakeOf } from '../../../../src/domain/imports/snapshots/brake.js';

const WELL = { rows: 1, failed: 0, input: 'file' } as const;

describe('the brake of a snapshot', () => {
  it('lets go exactly the share that it names, and not one item more', () => {
    assert.equal(brakeOf({ maxMissingPercent: 0.57 }, { ...WELL, inScope: 10_000, going: 57 }), null);
    const share = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(share, fc.integer({ min: 1, max: 200 }), (hundredths, times) => {
        const limit = { maxMissingPercent: hundredths / 100 };
        const counts = { ...WELL, inScope: 10_000 * times, going: hundredths * times };
        assert.equal(brakeOf(limit, counts), null);
        const reason = brakeOf(limit, { ...counts, going: counts.going + 1 });
        assert.match(reason ?? '', /that is more than [\d.]+ percent/);
      }),
    );
  });

  it('knows shares that are written with an exponent, none and all', () => {
    const counts = { ...WELL, inScope: 1_000_000, going: 1 };
    assert.match(brakeOf({ maxMissingPercent: 1e-7 }, counts) ?? '', /more than 1e-7 percent/);
    assert.match(brakeOf({ maxMissingPercent: 0 }, counts) ?? '', /more than 0 percent/);
    assert.equal(brakeOf({ maxMissingPercent: 100 }, { ...counts, going: 1_000_000 }), null);
  });
});
