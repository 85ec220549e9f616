/** Bundles have one byte for each character, so that V8 keeps their text in half of the memory. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const isOneByte = (text: string) => Buffer.from(text, 'latin1').toString('latin1') === text;
const REPOSITORY = new URL('../../../../', import.meta.url);

describe('the text of bundles', () => {
  let oneByteText: (code: string) => string;
  before(async () => {
    ({ oneByteText } = await import(new URL('scripts/one-byte-text.mjs', REPOSITORY).href));
  });

  it('has no character beyond Latin-1', () => {
    const folder = new URL('dist/app/', REPOSITORY);
    const names = readdirSync(folder, { recursive: true }).map(String);
    const bundles = names.filter((name) => name.endsWith('.js'));
    assert.ok(bundles.length > 20);
    const wide = bundles.filter((name) => !isOneByte(readFileSync(new URL(name, folder), 'utf8')));
    assert.deepEqual(wide, []);
  });

  it('means the same as before, in regular expressions with and without the flag for code points', () => {
    for (const [pattern, flags, text] of [
      ['[＝＋]x年', 'g', '＋x年'],
      ['^[年月😀]$', 'u', '😀'],
      ['Š|ł', 'i', 'š'],
    ] as const) {
      const code = oneByteText(`/${pattern}/${flags} // → …`);
      assert.ok(isOneByte(code), code);
      assert.ok(new Function(`return ${code}`)().test(text), code);
    }
  });

  it('is refused where an escape would mean something else', () => {
    assert.equal(oneByteText('String.raw`ä` + `b`'), 'String.raw`ä` + `b`');
    assert.throws(() => oneByteText('x = String.raw`a→b`'), /raw template/);
  });
});
