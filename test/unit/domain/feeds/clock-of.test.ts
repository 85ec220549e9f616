import assert from 'node:assert/strict';
import { clockOf } from '../../../../src/domain/feeds/model/clock-of.js';

describe('the clocks of time zones', () => {
  it('are kept, one of a zone however it is written', () => {
    assert.equal(clockOf('Europe/Berlin'), clockOf('EUROPE/berlin'));
  });

  it('are let go when they are many', () => {
    const first = clockOf('Europe/Berlin');
    for (const zone of Intl.supportedValuesOf('timeZone')) clockOf(zone);
    assert.notEqual(clockOf('Europe/Berlin'), first);
  });
});
