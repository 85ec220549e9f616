/** The console writes numbers as the language does and with all their digits, in browsers that write 20 decimals at most. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SOURCE = fileURLToPath(new URL('../../../../packages/console/src/pages/catalog/number-text.ts', import.meta.url));
const MOST_DECIMALS = 20;
const Native = Intl.NumberFormat;

/** As browsers before Chrome 115 and Safari 15.4: 20 decimals at most, and a text is read as a double. */
class OldNumberFormat extends Native {
  constructor(locale?: string, options: Intl.NumberFormatOptions = {}) {
    if ((options.maximumFractionDigits ?? 0) > MOST_DECIMALS)
      throw new RangeError('maximumFractionDigits is out of range');
    super(locale, options);
    const write = super.format.bind(this);
    Object.defineProperty(this, 'format', {
      value: (given: unknown) => write(typeof given === 'bigint' ? given : Number(given)),
    });
  }
}

type Write = (text: string, isWhole: boolean) => string | undefined;

describe('numbers in the console', () => {
  let numberTexts: (locale: string) => Write;
  before(async () => {
    const { outputFiles } = await build({ entryPoints: [SOURCE], bundle: true, format: 'esm', write: false });
    const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
    ({ numberTexts } = await import(`data:text/javascript;base64,${code}`));
    Intl.NumberFormat = OldNumberFormat as unknown as typeof Intl.NumberFormat;
  });
  after(() => {
    Intl.NumberFormat = Native;
  });

  it('have all their digits', () => {
    const digits = '1234567890'.repeat(99).slice(0, -1);
    for (const [text, german, english] of [
      [`0.${digits}`, `0,${digits}`, `0.${digits}`],
      [`-1234.${digits}`, `-1.234,${digits}`, `-1,234.${digits}`],
      ['12345678901234567890.5', '12.345.678.901.234.567.890,5', '12,345,678,901,234,567,890.5'],
      ['-0.5', '-0,5', '-0.5'],
      ['1.50', '1,50', '1.50'],
      ['0', '0', '0'],
    ] as const) {
      assert.equal(numberTexts('de-DE')(text, false), german);
      assert.equal(numberTexts('en-GB')(text, false), english);
    }
  });

  it('are grouped, but for whole ones that may be years', () => {
    const write = numberTexts('de-DE');
    assert.deepEqual(
      [write('2023', true), write('2023', false), write('20231', true), write('-1999', true), write('2023.5', true)],
      ['2023', '2.023', '20.231', '-1999', '2.023,5'],
    );
  });

  it('are not made of texts that are written otherwise, which an attribute held when it was of another type', () => {
    const write = numberTexts('de-DE');
    for (const text of ['00123', '01.5', '-0', '+1', '1.', '.5', '1e5', '', ' 1', '1,5', 'x'])
      assert.equal(write(text, true), undefined, text);
  });
});
