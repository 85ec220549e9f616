import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isSealedWithNewest, sealSecret, unsealSecret } from '../../../../src/domain/access/sealed-secret.js';

const OLD = 'an old key of thirty-two characters or more';
const NEW = 'the new key of thirty-two characters or more';
const PLACE = 'webhook_definition 0123 secret';

describe('sealed secrets', () => {
  it('open as what they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.equal(unsealSecret([NEW], PLACE, sealSecret([NEW], PLACE, text)), text);
      }),
    );
  });

  it('do not tell what they hold, nor that two hold the same', () => {
    const [one, two] = [sealSecret([NEW], PLACE, 'the secret'), sealSecret([NEW], PLACE, 'the secret')];
    assert.notEqual(one, two);
    assert.ok(!Buffer.from(one.split('.')[2] ?? '', 'base64url').includes('the secret'));
  });

  it('are sealed with the newest key, and opened with any that is listed', () => {
    const old = sealSecret([OLD], PLACE, 'x');
    assert.equal(unsealSecret([NEW, OLD], PLACE, old), 'x');
    assert.equal(isSealedWithNewest([NEW, OLD], old), false);
    assert.equal(isSealedWithNewest([NEW, OLD], sealSecret([NEW, OLD], PLACE, 'x')), true);
    assert.throws(() => unsealSecret([NEW], PLACE, old), { name: 'UnsealError' });
    assert.throws(() => unsealSecret([NEW], PLACE, old), /add the key that sealed it to the list/);
  });

  it('do not open elsewhere, nor altered', () => {
    const sealed = sealSecret([NEW], PLACE, 'x');
    assert.throws(() => unsealSecret([NEW], 'webhook_definition 4567 secret', sealed), { name: 'UnsealError' });
    const [version, key, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ 1;
      assert.throws(() => unsealSecret([NEW], PLACE, [version, key, altered.toString('base64url')].join('.')), {
        name: 'UnsealError',
      });
    }
    for (const nonsense of ['', 'v1', `v2.${key}.${body}`, `${version}.${key}.`]) {
      assert.throws(() => unsealSecret([NEW], PLACE, nonsense), { name: 'UnsealError' });
    }
  });
});
