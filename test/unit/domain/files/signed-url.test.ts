import assert from 'node:assert/strict';
import { type FileSignature, requireSignature, signFile } from '../../../../src/domain/files/signed-url.js';
import { DomainError } from '../../../../src/domain/kernel/errors.js';

const OLD = 'an-old-key-of-more-than-32-characters';
const NEW = 'a-new-key-of-more-than-32-characters';
const FILE = '0123456789abcdef01234567';
const NOW = new Date('2026-01-31T12:00:00Z');
const DEFERRED = new Date('2026-01-31T12:15:00Z');

const codeOf = (keys: readonly string[], given: Partial<FileSignature>, fileId = FILE, now = NOW): string => {
  try {
    requireSignature(keys, 'upload', fileId, given, now);
    return 'passed';
  } catch (error) {
    assert.ok(error instanceof DomainError && error.kind === 'forbidden');
    return error.code;
  }
};

describe('a signed URL', () => {
  const signed = signFile([NEW, OLD], 'upload', FILE, DEFERRED);

  it('passes until it expires', () => {
    assert.equal(codeOf([NEW], signed), 'passed');
    assert.equal(codeOf([NEW], signed, FILE, new Date(DEFERRED.getTime() - 1)), 'passed');
    assert.equal(codeOf([NEW], signed, FILE, DEFERRED), 'URL_EXPIRED');
  });

  it('is signed by the first key and passes by any', () => {
    assert.equal(codeOf([OLD], signed), 'URL_ALTERED');
    const before = signFile([OLD], 'upload', FILE, DEFERRED);
    assert.equal(codeOf([NEW, OLD], before), 'passed');
    assert.equal(codeOf([NEW], before), 'URL_ALTERED');
  });

  it('is refused when anything of it was altered', () => {
    const { expires, signature } = signed;
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    for (const given of [
      { expires, signature: flipped },
      { expires, signature: signature.slice(0, -1) },
      { expires, signature: `${signature}=` },
      { expires, signature: '' },
      { expires, signature: 'ä'.repeat(22) },
      { expires: String(Number(expires) + 1), signature },
      { expires: `${expires}.0`, signature },
      { expires: `0${expires}`, signature },
      { expires: '', signature },
      { signature },
      { expires },
      {},
    ]) {
      assert.equal(codeOf([NEW], given), 'URL_ALTERED', JSON.stringify(given));
    }
    assert.equal(codeOf([NEW], signed, FILE.replace('0', '1')), 'URL_ALTERED');
    assert.equal(codeOf([], signed), 'URL_ALTERED');
  });

  it('for a download does not open an upload', () => {
    assert.equal(codeOf([NEW], signFile([NEW], 'download', FILE, DEFERRED)), 'URL_ALTERED');
  });
});
