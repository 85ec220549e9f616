/** Scanning is a short cut: for every sheet it must come to what parsing comes to, right or wrong. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RejectedInput } from '../../../../../../src/domain/formats/model/rejected-input.js';
import { ElementReader } from '../../../../../../src/domain/formats/xlsx/read/element-reader.js';
import type { RawRow } from '../../../../../../src/domain/formats/xlsx/read/raw-row.js';
import { RowHandler } from '../../../../../../src/domain/formats/xlsx/read/row-handler.js';
import { WORKBOOK_LIMITS } from '../../../../../../src/domain/formats/xlsx/read/workbook-limits.js';
import { bytesOfText } from '../../../../../../src/domain/formats/xlsx/read/xml-bytes.js';

const RUNS = { numRuns: 3_000 };

interface ReadSheet {
  readonly rows: unknown[];
  readonly rejected: string | null;
  readonly scanned: number;
}

function read(xml: string, scans: boolean, pieceLength: number): ReadSheet {
  const rows: unknown[] = [];
  let scanned = 0;
  const keep = ({ number, count, columns, rows: ofCells, types, styles, texts, formulas }: RawRow): void => {
    const cells = Array.from({ length: count }, (_, at) => [
      columns[at],
      ofCells[at],
      types[at],
      styles[at],
      texts[at],
      formulas[at],
    ]);
    rows.push({ number, cells });
  };
  const handler = new RowHandler(keep, scans);
  const reader = new ElementReader(
    {
      open: (name, attributes) => handler.open(name, attributes),
      close: (name) => handler.close(name),
      text: (text) => handler.text(text),
      scan: (text, start, end) => {
        const taken = handler.scan(text, start, end);
        if (taken) scanned += 1;
        return taken;
      },
    },
    { container: 'sheetData', closing: '</row>' },
    WORKBOOK_LIMITS,
  );
  try {
    const characters = [...xml];
    for (let at = 0; at < characters.length; at += pieceLength) {
      reader.write(bytesOfText(characters.slice(at, at + pieceLength).join('')));
    }
    reader.finish();
    return { rows, rejected: null, scanned };
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return { rows, rejected: error.reason, scanned };
  }
}

/** Most texts are plain, so that most rows are scanned. */
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('', '0', '12.5', 'Shirt', 'ä ö', '😀', '007') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '&amp;',
      '&lt;b&gt;',
      '&#65;&#x42;',
      '&#13;',
      '&#252;&#x1F600;',
      'ü&amp;–',
      '&#0;',
      '&#xD800;',
      '&nbsp;',
      '&',
      ']]>',
      'a\rb',
      '\r\n',
      '\u0001',
      '\ufffe',
      '<![CDATA[x]]>',
      '<!-- </row> -->',
      '<?pi?>',
    ),
  },
);
const attribute = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('r="A1"', 'r="B2"', 't="s"', 't="str"', 't="inlineStr"', 't="b"', 't="e"', 's="1"'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      't="n"',
      't="d"',
      't="x"',
      'r="1"',
      'r="a1"',
      'r="ABCD1"',
      'r="A0"',
      'r="A"',
      "s='2'",
      's="x"',
      's=""',
      's="1" s="1"',
      'cm="1"',
      'r = "A1"',
      'x:r="A1"',
      's="&#49;"',
    ),
  },
);
const content = fc.oneof(
  { weight: 6, arbitrary: text.map((value) => `<v>${value}</v>`) },
  { weight: 3, arbitrary: text.map((value) => `<is><t>${value}</t></is>`) },
  { weight: 1, arbitrary: text.map((value) => `<is><t xml:space="preserve">${value}</t></is>`) },
  { weight: 1, arbitrary: fc.tuple(text, text).map(([formula, value]) => `<f>${formula}</f><v>${value}</v>`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '<is><r><rPr><b/></rPr><t>a</t></r><r><t>b</t></r><rPh><t>c</t></rPh></is>',
      '<f t="shared" si="0"/><v>1</v>',
      '<f>A1</f>',
      '<f aca="false">A1&gt;1</f><v>1</v>',
      '<v/>',
      ' <v>1</v> ',
      '<v>1</v><v>2</v>',
      '<w>1</w>',
      '<v>1',
      '',
    ),
  },
);
const wildCell = fc
  .tuple(
    fc.array(attribute, { maxLength: 3 }),
    content,
    fc.constantFrom('', '', '', '', ' '),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([attributes, inner, space, form]) => {
    const opening = `<c${attributes.map((each) => ` ${each}`).join('')}${space}`;
    return form === 0 ? `${opening}/>` : `${opening}>${inner}</c>`;
  });
const plainCell = fc
  .tuple(
    fc.constantFrom('', ' r="A1"', ' r="XFD12"', ' r="B2"'),
    fc.constantFrom('', ' s="3"'),
    fc.constantFrom(['', 'v'], [' t="s"', 'v'], [' t="inlineStr"', 'is'], [' t="str"', 'v']),
    fc.constantFrom('', '5', 'Shirt', 'a &amp; b', '&#x41;', 'ß'),
    fc.boolean(),
  )
  .map(([reference, style, [type, part], value, computed]) => {
    if (part === 'is') return `<c${reference}${style}${type}><is><t>${value}</t></is></c>`;
    return `<c${reference}${style}${type}>${computed ? '<f>A1+1</f>' : ''}<v>${value}</v></c>`;
  });
const cell = fc.oneof({ weight: 5, arbitrary: plainCell }, { weight: 1, arbitrary: wildCell });
const rowOpening = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      '<row>',
      '<row r="1">',
      '<row r="2" spans="1:3">',
      '<row r="3" x14ac:dyDescent="0.25" ht="12">',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '<row/><row>',
      '<row >',
      '<row r="x">',
      '<row r="0">',
      '<row r="1" r="2">',
      '<row unknown="1">',
      '<row spans="<">',
      '<row spans="&amp;">',
      "<row r='4'>",
      '<rows><row>',
      '<row\n>',
    ),
  },
);
const row = fc
  .tuple(rowOpening, fc.array(cell, { maxLength: 4 }), fc.constantFrom('', '', '', '\n', '<!-- <row> -->'))
  .map(([opening, cells, between]) => `${opening}${cells.join('')}</row>${between}`);
const frame = fc.constantFrom(
  ['<worksheet><sheetData>', '</sheetData></worksheet>'],
  ['<worksheet><!-- <sheetData> --><cols><col/></cols>\r\n<sheetData x="1">\n', '</sheetData><after/></worksheet>'],
  ['<worksheet><sheetData>', '</sheetData>'],
  ['<x:worksheet><x:sheetData>', '</x:sheetData></x:worksheet>'],
);
const sheet = fc
  .tuple(frame, fc.array(row, { maxLength: 6 }))
  .map(([[head, tail], rows]) => `${head}${rows.join('')}${tail}`);
const pieceLength = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 4_000 }));

describe('the scanner of rows', () => {
  it('comes to what the parser comes to', () => {
    let scanned = 0;
    fc.assert(
      fc.property(sheet, pieceLength, (xml, length) => {
        const parsed = read(xml, false, length);
        const short = read(xml, true, length);
        scanned += short.scanned;
        assert.deepEqual(short.rejected, parsed.rejected);
        assert.deepEqual(short.rows, parsed.rows);
      }),
      RUNS,
    );
    assert.ok(scanned > 1_000, `${scanned} rows were scanned`);
  });

  it('comes to it also when any character is another', () => {
    const mutation = fc.tuple(sheet, fc.nat(), fc.constantFrom(...'<>/"\'& =rcvtis\n\r0A&;]!-'.split(''), ''));
    fc.assert(
      fc.property(mutation, pieceLength, ([xml, at, character], length) => {
        const characters = [...xml];
        characters[at % characters.length] = character;
        const mutated = characters.join('');
        const parsed = read(mutated, false, length);
        const short = read(mutated, true, length);
        assert.deepEqual(short.rejected, parsed.rejected);
        assert.deepEqual(short.rows, parsed.rows);
      }),
      RUNS,
    );
  });
});
