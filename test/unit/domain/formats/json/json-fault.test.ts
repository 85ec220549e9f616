/** What is not JSON is told by its place and by what is expected there. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findJsonFault } from '../../../../../src/domain/formats/json/find-json-fault.js';
import { describeJsonFault } from '../../../../../src/domain/formats/json/json-fault.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the fault of a text that is not JSON', () => {
  const cases: [string, string][] = [
    [
      '',
      'it ends before character 1, where a value (a text in double quotation marks, a number, true, false, null, a list or an object) is expected',
    ],
    ['{"a" 1}', 'at character 6 (here: 1}) a colon is expected'],
    ['{"a":1', 'it ends before character 7, where a comma or } is expected'],
    ['[1,\n 2 3]', 'at line 2, character 4 (here: 3]) a comma or ] is expected'],
    ['{a:1}', 'at character 2 (here: a:1}) a name in double quotation marks or } is expected'],
    ['"a', 'it ends before character 3, where the quotation mark that ends a text is expected'],
    ['["\\q"]', 'at character 3 (here: \\q"]) an escape such as \\n, \\" or \\\\ is expected'],
    ['{} {}', 'at character 4 (here: {}) nothing more is expected'],
  ];
  for (const [text, sentence] of cases) {
    it(`of ${JSON.stringify(text)}`, () => assert.equal(describeJsonFault(text), sentence));
  }

  it('is found exactly in texts that JSON.parse refuses', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '\\',
      '\\u00e9',
      '1',
      '-',
      '.5',
      '1e3',
      '01',
      'true',
      'null',
      ' ',
      '\n',
      'x',
      '\ufeff',
      '\u00a0',
    );
    const parts = fc.array(part, { maxLength: 12 }).map((list) => list.join(''));
    const cut = fc
      .tuple(fc.json(), fc.nat(40), fc.nat(3), part)
      .map(([text, at, length, put]) => text.slice(0, at) + put + text.slice(at + length));
    fc.assert(
      fc.property(fc.oneof(parts, cut, fc.json()), (text) => {
        assert.equal(findJsonFault(text) === null, isJson(text));
      }),
      { numRuns: 3000 },
    );
  });
});
