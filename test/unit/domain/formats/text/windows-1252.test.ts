/** Windows-1252 as UTF-8, whatever the bytes are and wherever they are in memory. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeWindows1252, windows1252Decoder } from '../../../../../src/domain/formats/text/windows-1252.js';

describe('the decoder of windows-1252', () => {
  it('converts each byte by itself, so that any bytes come back as they were', () => {
    const decode = windows1252Decoder();
    const byte = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 127 }) }, fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 60 }), fc.integer({ min: 0, max: 7 }), (values, offset) => {
        const bytes = Buffer.alloc(values.length + offset).subarray(offset);
        bytes.set(values);
        const utf8 = decode(bytes);
        const one = values.map((value) => decode(Buffer.from([value])).toString());
        assert.equal(utf8.toString(), one.join(''));
        assert.deepEqual([...encodeWindows1252(utf8.toString())], values);
      }),
      { numRuns: 500 },
    );
  });
});
