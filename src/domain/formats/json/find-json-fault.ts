/** Finds where a text stops being JSON, and what is expected there. */

/** What may stand at a place of the text. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next';

const BLANKS = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON escapes.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])/y;

interface Fault {
  /** The index of the character that cannot stand there; the length of the text: it ends too early. */
  readonly at: number;
  readonly expected: string;
}

/** Null if the text is JSON. */
export function findJsonFault(text: string): Fault | null {
  const open: ('[' | '{')[] = [];
  let expected = 'value' as Expected;
  let at = skip(BLANKS, text, 0);
  for (; at < text.length || open.length > 0 || expected !== 'next'; at = skip(BLANKS, text, at)) {
    const character = text[at];
    const within = open.at(-1);
    if (isEnd(character, within, expected)) {
      open.pop();
      expected = 'next';
      at++;
    } else if (expected === 'next') {
      if (character !== ',' || within === undefined) return { at, expected: afterValue(within) };
      expected = within === '[' ? 'value' : 'name';
      at++;
    } else if (expected === 'colon') {
      if (character !== ':') return { at, expected: 'a colon' };
      expected = 'value';
      at++;
    } else if (character === '"') {
      const read = readText(text, at);
      if (typeof read !== 'number') return read;
      at = read;
      expected = expected === 'name' || expected === 'first name' ? 'colon' : 'next';
    } else if (expected === 'name' || expected === 'first name') {
      return { at, expected: `a name in double quotation marks${expected === 'name' ? '' : ' or }'}` };
    } else if (character === '[' || character === '{') {
      open.push(character);
      expected = character === '[' ? 'first value' : 'first name';
      at++;
    } else {
      const end = skip(SCALAR, text, at);
      if (end === at)
        return {
          at,
          expected: 'a value (a text in double quotation marks, a number, true, false, null, a list or an object)',
        };
      at = end;
      expected = 'next';
    }
  }
  return null;
}

function isEnd(character: string | undefined, within: '[' | '{' | undefined, expected: Expected): boolean {
  if (within === '[') return character === ']' && (expected === 'next' || expected === 'first value');
  return within === '{' && character === '}' && (expected === 'next' || expected === 'first name');
}

function afterValue(within: '[' | '{' | undefined): string {
  if (within === undefined) return 'nothing more';
  return within === '[' ? 'a comma or ]' : 'a comma or }';
}

/** The index after a text that begins at `start`. */
function readText(text: string, start: number): number | Fault {
  let at = skip(PLAIN, text, start + 1);
  while (text[at] === '\\') {
    const end = skip(ESCAPE, text, at);
    if (end === at) return { at, expected: 'an escape such as \\n, \\" or \\\\' };
    at = skip(PLAIN, text, end);
  }
  if (text[at] === '"') return at + 1;
  return {
    at,
    expected:
      at >= text.length
        ? 'the quotation mark that ends a text'
        : 'a quotation mark, or an escape such as \\n for the line break or control character,',
  };
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.index === at ? pattern.lastIndex : at;
}
