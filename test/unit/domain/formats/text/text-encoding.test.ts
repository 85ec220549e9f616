import assert from 'node:assert/strict';
import fc from 'fast-check';
import { detectEncoding } from '../../../../../src/domain/formats/text/detect-encoding.js';
import { ENCODINGS, encodingNamed, type TextEncoding } from '../../../../../src/domain/formats/text/encoding-names.js';
import { encodeText, toUtf8 } from '../../../../../src/domain/formats/text/text-encoding.js';
import { runsOf } from '../../../../support/models/property-runs.js';
import { inBlocks } from '../source-fixture.js';

/** Texts with their bytes, which Python's codecs have written. */
const WRITTEN: readonly [TextEncoding, string, string][] = [
  ['utf-8', 'Größe 😀', '4772c3b6c39f6520f09f9880'],
  ['utf-16le', 'ß😀', 'df003dd800de'],
  ['utf-16be', 'ß😀', '00dfd83dde00'],
  ['windows-1250', 'Zażółć gęślą jaźń €', '5a61bff3b3e62067ea9c6cb9206a619ff12080'],
  ['windows-1251', 'Съешь ещё этих мягких', 'd1fae5f8fc20e5f9b820fdf2e8f520ecffe3eae8f5'],
  ['windows-1252', 'Größe „weit“ – 10 € Ž', '4772f6df652084776569749320962031302080208e'],
  ['windows-1253', 'Ξεσκεπάζω την ψυχοφθόρα', 'cee5f3eae5f0dce6f920f4e7ed20f8f5f7eff6e8fcf1e1'],
  ['windows-1254', 'Pijamalı hasta yağız şoföre', '50696a616d616cfd206861737461207961f0fd7a20fe6f66f67265'],
  ['windows-1257', 'Įlinkdama fechtuotojo špaga', 'c16c696e6b64616d61206665636874756f746f6a6f20f070616761'],
  ['iso-8859-2', 'Příliš žluťoučký kůň', '50f8ed6c69b920be6c75bb6f75e86bfd206bf9f2'],
  ['iso-8859-15', 'Dès Noël où, 5 € œuf', '44e873204e6feb6c206ff92c203520a420bd7566'],
  ['koi8-r', 'Съешь ещё этих мягких', 'f3dfc5dbd820c5dda320dcd4c9c820cdd1c7cbc9c8'],
  ['ibm850', 'Größe ¼ ½ ± ÆØÅ', '477294e16520ac20ab20f120929d8f'],
  ['windows-1255', 'שלום עולם ₪', 'f9ece5ed20f2e5eced20a4'],
  ['windows-1256', 'قميص أحمر €', 'dee3edd520c3cde3d12080'],
  ['windows-1258', 'Áo sơ mi màu đỏ, cỡ ₫', 'c16f2073f5206d69206de07520f06fd22c2063f5de20fe'],
  ['windows-874', 'เสื้อสีแดง €', 'e0cad7e9cdcad5e1b4a72080'],
  ['macintosh', 'Größe „weit“ – 5 €', '47729aa76520e377656974d220d0203520db'],
  ['ibm852', 'Zażółć gęślą jaźń', '5a61bea288862067a9986ca5206a61abe4'],
  ['ibm866', 'Съешь ещё этих мягких', '91eaa5e8ec20a5e9f120ede2a8e520acefa3aaa8e5'],
  ['shift_jis', '日本語ソート表示～①ｱｲｳ|\\', '93fa967b8cea835c815b8367955c8ea681608740b1b2b37c5c'],
  ['euc-jp', '日本語ソート表示ｱｲｳ', 'c6fccbdcb8eca5bda1bca5c8c9bdbca88eb18eb28eb3'],
  ['gb18030', '中文字符 😀 €', 'd6d0cec4d7d6b7fb209439fc3620a2e3'],
  ['big5', '繁體中文許功蓋', 'c163c5e9a4a4a4e5b35ca55cbb5c'],
  ['euc-kr', '한국어 똠방각하', 'c7d1b1b9beee208c63b9e6b0a2c7cf'],
];

async function utf8Of(bytes: Buffer, encoding: TextEncoding, blockBytes: number): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of toUtf8(inBlocks(bytes, blockBytes), encoding)) blocks.push(Buffer.from(block));
  return Buffer.concat(blocks);
}

describe('the encodings of texts', () => {
  it('are all among the examples', () => {
    assert.deepEqual(WRITTEN.map(([encoding]) => encoding).sort(), [...ENCODINGS].sort());
  });

  for (const [encoding, text, hex] of WRITTEN) {
    it(`${encoding} is read as it is written, wherever it is cut, and written back`, async () => {
      const bytes = Buffer.from(hex, 'hex');
      for (const blockBytes of [1, 2, 3, 1024]) {
        assert.equal((await utf8Of(Buffer.from(bytes), encoding, blockBytes)).toString(), text);
      }
      assert.equal(encodeText(text, encoding).toString('hex'), hex);
    });
  }

  it('give back what was read, whatever the text', async () => {
    for (const [encoding, sample] of WRITTEN) {
      const unit = fc.constantFrom(
        ...sample,
        ...Array.from({ length: 127 }, (_, code) => String.fromCharCode(code + 1)),
      );
      const property = fc.asyncProperty(
        fc.string({ unit, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (text, block) => {
          assert.equal((await utf8Of(encodeText(text, encoding), encoding, block)).toString(), text);
        },
      );
      await fc.assert(property, { numRuns: runsOf(40) });
    }
  });

  it('mark bytes that mean nothing in them, and lose no line end', async () => {
    const invalid: readonly [TextEncoding, string][] = [
      ['windows-1250', '610a83620a63'],
      ['windows-1253', '610ad2620a63'],
      ['shift_jis', '610a81200a63'],
      ['shift_jis', '610a81'],
      ['big5', '610aff620a63'],
      ['euc-kr', '610ac8ff0a63'],
      ['gb18030', '610aff620a63'],
      ['gb18030', '610a8130'],
      ['euc-jp', '610a8f0a63'],
    ];
    for (const [encoding, hex] of invalid) {
      for (const block of [1, 2, 1024]) {
        const read = await utf8Of(Buffer.from(hex, 'hex'), encoding, block);
        const lines = read.toString('latin1').split('\n');
        assert.equal(lines.length, hex.split('0a').length, `${encoding} ${hex}: ${read.toString('hex')}`);
        assert.equal(lines[0], 'a');
        assert.ok(lines[1]?.includes('\xff'), `${encoding} ${hex}: ${read.toString('hex')}`);
      }
    }
  });

  it('keep the five bytes that windows-1252 leaves undefined, in both directions', async () => {
    const bytes = Buffer.from('818d8f909d', 'hex');
    const text = (await utf8Of(bytes, 'windows-1252', 1)).toString();
    assert.equal(text, '\u0081\u008d\u008f\u0090\u009d');
    assert.deepEqual(encodeText(text, 'windows-1252'), bytes);
  });

  it('write question marks for what they lack', () => {
    assert.equal(encodeText('5 € 日本', 'windows-1252').toString('latin1'), '5 \x80 ??');
    assert.equal(encodeText('5 € 日', 'koi8-r').toString('latin1'), '5 ? ?');
    assert.equal(encodeText('é 😀', 'shift_jis').includes(0x3f), true);
  });
});

describe('the name of an encoding', () => {
  it('may be written in many ways', () => {
    const names: readonly [TextEncoding, readonly string[]][] = [
      ['windows-1252', ['CP1252', 'Windows 1252', 'latin1', 'ISO_8859-1', 'iso88591', 'us-ascii']],
      ['iso-8859-2', ['ISO-8859-2', 'Latin-2', ' iso8859_2 ']],
      ['windows-1250', ['cp-1250']],
      ['shift_jis', ['Shift-JIS', 'SJIS', 'ms932', 'Windows-31J', 'SHIFT_JIS']],
      ['gb18030', ['GBK', 'gb2312', 'GB 18030']],
      ['big5', ['Big-5', 'big5-hkscs']],
      ['euc-kr', ['EUCKR', 'ks_c_5601-1987', 'CP949']],
      ['utf-8', ['UTF8']],
      ['utf-16le', ['UTF-16', 'ucs-2']],
    ];
    for (const [encoding, written] of names)
      for (const name of written) assert.equal(encodingNamed(name), encoding, name);
    for (const name of ['ebcdic', '', 'constructor', '__proto__', 'latin-99'])
      assert.equal(encodingNamed(name), undefined);
  });

  it('leaves the order of the bytes to the text when it is UTF-16 alone', () => {
    const little = Buffer.from('SKU;ä\n', 'utf16le');
    const big = Buffer.from(little).swap16();
    assert.deepEqual(detectEncoding(little, 'UTF-16'), { encoding: 'utf-16le', markBytes: 0 });
    assert.deepEqual(detectEncoding(big, 'utf_16'), { encoding: 'utf-16be', markBytes: 0 });
    assert.deepEqual(detectEncoding(big, 'utf-16le'), { encoding: 'utf-16le', markBytes: 0 });
  });

  it('is refused with a list of those that are known', () => {
    assert.throws(() => detectEncoding(Buffer.alloc(0), 'ebcdic'), {
      reason: 'UNKNOWN_ENCODING',
      message: /"ebcdic" is not known\. Name one of: utf-8, .*windows-1250, .*shift_jis/,
    });
  });
});
