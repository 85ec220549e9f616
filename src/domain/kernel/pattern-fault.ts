/** Says what is wrong with a pattern that RE2 refuses, and what to write instead. */
import { RE2JSSyntaxException } from 're2js';
import { quoted } from './value-problem.js';

/** What RE2 calls a fault → a part of a sentence. Those about a part of the pattern end with that part. */
const SENTENCES: Readonly<Record<string, string>> = {
  'invalid character class range':
    'the pattern has a class of characters that does not exist, or a range from a later to an earlier character',
  'invalid escape sequence':
    'the pattern has a backslash before a character that needs none, or a back-reference, which is not supported',
  'invalid named capture':
    'the pattern has a group whose name is not complete, or a look-behind, which is not supported',
  'duplicate capture group name': 'two groups of the pattern have the same name',
  'invalid or unsupported Perl syntax':
    'the pattern has a group that begins with signs that are not supported, such as a look-ahead',
  'invalid nested repetition operator': 'the pattern repeats a repetition: enclose the inner one in (?:…)',
  'invalid repeat count':
    'the pattern has counts of repetitions that are in the wrong order, or more than 1000 when multiplied',
  'missing argument to repetition operator':
    'the pattern has nothing before a repetition: put a backslash before the sign if you mean the sign itself',
  'missing closing ]': 'the pattern has a [ without its ]: close it, or write \\[ for the sign itself',
  'missing closing )': 'the pattern has a ( without its ): close it, or write \\( for the sign itself',
  'unexpected )': 'the pattern has a ) without its (: write \\) for the sign itself',
  'trailing backslash at end of expression': 'the pattern ends with a backslash: write \\\\ for the sign itself',
  'expression nests too deeply': 'the groups of the pattern are nested too deeply: write it with fewer levels',
  'expression too large': 'the pattern is too large: use smaller counts, or maxLength to limit the length',
};
const OTHERWISE = 'the pattern is not an expression of RE2: https://github.com/google/re2/wiki/Syntax describes these';

/** What an error of the compilation says to a client: our own errors speak for themselves. */
export function describePatternFault(error: unknown): string {
  if (!(error instanceof RE2JSSyntaxException)) return error instanceof Error ? error.message : String(error);
  const sentence = SENTENCES[error.getDescription()] ?? OTHERWISE;
  const part = error.getPattern();
  return part ? `${sentence} (${quoted(part)})` : sentence;
}
