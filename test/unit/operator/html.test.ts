import assert from 'node:assert/strict';
import fc from 'fast-check';
import { html } from '../../../src/operator/view/html.js';
import { bytes, duration, table } from '../../../src/operator/view/layout.js';

describe('markup', () => {
  it('never comes from a value, in content or in an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const { text: made } = html`<a title="${text}">${text}</a>`;
        const [, attribute = '', content = ''] = /^<a title="(.*?)">(.*)<\/a>$/s.exec(made) ?? [];
        for (const part of [attribute, content]) assert.doesNotMatch(part, /[<>"'`]/);
        assert.equal(attribute, content);
        assert.doesNotMatch(made, /&(?!(?:amp|lt|gt|quot|#39|#96);)/);
      }),
      { examples: [['<script>alert(1)</script>'], ['" onmouseover="x'], ["' autofocus"], ['&lt;'], ['</a><b>']] },
    );
  });

  it('shows characters that would be invisible or turn the text', () => {
    assert.equal(html`${'a\u202eb\u200bc\u0000d\ne'}`.text, 'a\ufffdb\ufffdc\ufffdd\ne');
  });

  it('leaves out what is not there, and puts in each member of a list', () => {
    assert.equal(html`${null}${undefined}${false}${0}${[html`<i>`, '<', ['x']]}`.text, '0<i>&lt;x');
  });

  it('of a table without rows is the sentence that stands in its place', () => {
    assert.equal(table('Jobs', ['Job'], [], 'None.').text, '<p class="none">None.</p>');
  });
});

describe('figures', () => {
  it('of time have two units at most', () => {
    const shown = [0, 999, 1_000, 61_000, 3_600_000, 3_725_000, 90_000_000, 864_000_000].map(duration);
    assert.deepEqual(shown, ['0 s', '0 s', '1 s', '1 min 1 s', '1 h', '1 h 2 min', '1 d 1 h', '10 d']);
  });

  it('of bytes have the unit that fits', () => {
    const shown = [0, 1_023, 1_024, 1_536, 1_048_576, 5e9, 2e12].map(bytes);
    assert.deepEqual(shown, ['0 B', '1023 B', '1.0 KiB', '1.5 KiB', '1.0 MiB', '4.7 GiB', '1.8 TiB']);
  });
});
