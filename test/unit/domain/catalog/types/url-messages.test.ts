/** What the messages say that refuse addresses. */
import assert from 'node:assert/strict';
import { URL_TYPE } from '../../../../../src/domain/catalog/types/url.js';
import { ValueProblem } from '../../../../../src/domain/kernel/value-problem.js';

describe('the refusal of an address', () => {
  const cases: Readonly<Record<string, RegExp>> = {
    'example.com/page': /is not an address: write it in full, like/,
    ' https://example.com': /has blanks around it: leave them out$/,
    'https://example.com/a b': /has a blank in it: write %20 in its place$/,
    'https://example.com/a<b': /has "<" in it: write %3C in its place$/,
    'https://example.com:99999/': /its host or its port cannot be right$/,
    'https://exa mple.com/x': /its host or its port cannot be right$/,
    'https://exa<mple.com': /its host or its port cannot be right$/,
    'https://a.example/1.jpg https://a.example/2.jpg': /contains several addresses: keep one of them$/,
    'https://a.example/1.jpg\nhttps://a.example/2.jpg': /contains several addresses: keep one of them$/,
    'https://a.example/1 a.jpg, http://a.example/2.jpg': /contains several addresses: keep one of them$/,
    'https://example.com/a?b=c d': /has a blank in it: write %20 in its place$/,
    'ftp://example.com': /begins with ftp:\/\/, and addresses of web pages/,
    'https://example.com/\ud800': /unpaired surrogate: leave it out$/,
  };
  for (const [text, expected] of Object.entries(cases)) {
    it(`says what is wrong with ${JSON.stringify(text)}`, () => {
      const problem = URL_TYPE.codec({} as never, {} as never).fromJson(text);
      assert.ok(problem instanceof ValueProblem);
      assert.match(problem.message, expected);
    });
  }
});
