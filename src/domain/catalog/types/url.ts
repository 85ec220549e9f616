/** The attribute type URL: absolute addresses of http and https, stored as they were written. */
import { isStorable, MINUS, POINT, SLASH } from '../../kernel/characters.js';
import { describeJson, quoted, ValueProblem } from '../../kernel/value-problem.js';
import type { ByteEncoder, ValueCodec } from '../model/compiled-attribute.js';
import type { AttributeType } from './attribute-type.js';
import { copyQuoted, NOT_ENCODED } from './byte-encoder.js';
import { TEXT_FILTER } from './filters.js';
import { TEXT_CELLS } from './workbook-cells.js';

const MAX_URL_CHARACTERS = 2048;
const FILE_FORM = { fileType: 'URL' } as const;

export const URL_TYPE: AttributeType = {
  summary: 'An absolute address of http or https, of at most 2,048 characters. It is stored as it was written.',
  fields: [],
  rules: [],
  resolve: () => ({ fields: {}, rules: {} }),
  mappings: ['image'],
  fileForms: [FILE_FORM],
  fileForm: () => FILE_FORM,
  codec: () => URL_CODEC,
  encoder: () => encodeUrl,
  jsonTokens: ['text'],
  exportCell: (_definition, value) => value,
  jsonForm: 'stored',
  workbook: () => TEXT_CELLS,
  choices: () => undefined,
  filter: () => TEXT_FILTER,
  comparable: (stored) => stored,
  forms: {
    csv: {
      accepts:
        'An address that begins with `http://` or `https://` and a host, of at most 2,048 characters; outer blanks are ignored',
      refuses:
        'Relative addresses, other schemes, blanks, quotes, backslashes and angle brackets inside (`VALUE_TYPE`), longer addresses (`VALUE_TOO_LONG`)',
      example: '`https://example.com/disk-1.pdf`',
    },
    workbook: {
      accepts: 'Texts as in CSV. For a cell with a link, the text that the cell shows is read',
      refuses: 'Numbers, dates (`VALUE_TYPE`)',
      example: 'https://example.com/disk-1.pdf',
    },
    json: {
      accepts: 'A text as in CSV, without outer blanks; `""` clears the value',
      refuses: 'Everything else (`VALUE_TYPE`), longer addresses (`VALUE_TOO_LONG`)',
      example: '`"https://example.com/disk-1.pdf"`',
    },
  },
  examples: [
    {
      definition: {},
      cells: {
        'https://example.com': '"https://example.com"',
        'http://example.com/a/b.html?c=d&e=%20#f': '"http://example.com/a/b.html?c=d&e=%20#f"',
        'HTTPS://Example.com:8443/': '"HTTPS://Example.com:8443/"',
        ' https://example.com/ ': '"https://example.com/"',
        'https://grüße.example/größe': '"https://grüße.example/größe"',
        'http://[::1]/': '"http://[::1]/"',
        'http://192.0.2.1/a-b_c~d/': '"http://192.0.2.1/a-b_c~d/"',
      },
      refusedCells: {
        'example.com': 'VALUE_TYPE',
        '//example.com': 'VALUE_TYPE',
        'http:example.com': 'VALUE_TYPE',
        'http:///path': 'VALUE_TYPE',
        'http://': 'VALUE_TYPE',
        'ftp://example.com': 'VALUE_TYPE',
        'javascript:alert(1)': 'VALUE_TYPE',
        'https://exa mple.com': 'VALUE_TYPE',
        'https://example.com/a b': 'VALUE_TYPE',
        'https://example.com/"': 'VALUE_TYPE',
        'https://example.com\\a': 'VALUE_TYPE',
        'https://example.com:99999/': 'VALUE_TYPE',
        'https://1.2.3.4.5/': 'VALUE_TYPE',
        [`https://example.com/${'x'.repeat(MAX_URL_CHARACTERS)}`]: 'VALUE_TOO_LONG',
      },
      values: [
        'https://example.com/disk-1.pdf',
        'http://example.com',
        'https://example.com/?q=1,2;3|4&r=%22#=1',
        'https://漢字.example/😀',
        `https://example.com/${'x'.repeat(MAX_URL_CHARACTERS - 20)}`,
      ],
      refusedValues: [
        ' https://example.com',
        'example.com',
        1,
        true,
        ['https://example.com'],
        'https://example.com/\ud800',
      ],
    },
  ],
};

/** A scheme, a host that is not empty, and none of the characters that an address must escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among them.
const SHAPE = /^https?:\/\/[^/?#\s"<>\\^`{}\u0000-\u001f\u007f][^\s"<>\\^`{}\u0000-\u001f\u007f]*$/i;

/** What an address must escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among them.
const UNESCAPED = /[\s"<>\\^`{}\u0000-\u001f\u007f]/;

/** A scheme and a host without what an address must escape. */
const HOST = /^https?:\/\/[^\s"<>\\^`{}/?#]+([/?#]|$)/i;
/** Two addresses, or more, in one text. */
const SEVERAL = /[\s,;|"<>][\s"<>]*https?:\/\//i;

/** The scheme of an address in full. */
const OTHER_SCHEME = /^([a-z][a-z0-9+.-]{0,30}):\/\//i;

const URL_CODEC: ValueCodec = {
  fromText: (text) => read(text.trim()),
  fromJson: (value) => (typeof value === 'string' ? read(value) : notUrl(describeJson(value), value)),
  toText: (value) => String(value ?? ''),
};

function read(text: string): string | ValueProblem {
  if (text.length > MAX_URL_CHARACTERS && [...text].length > MAX_URL_CHARACTERS) return tooLong(text);
  if (!isStorable(text) || !SHAPE.test(text) || !hasHost(text)) return notUrl(quoted(text), text);
  return JSON.stringify(text);
}

/**
 * Whether the host and the port are valid. URL.canParse is not used because, once it is optimised, that of Node 20
 * refuses addresses with letters of Latin-1 such as ü.
 */
function hasHost(text: string): boolean {
  try {
    return new URL(text).host !== '';
  } catch {
    return false;
  }
}

function notUrl(described: string, value: unknown): ValueProblem {
  return new ValueProblem('VALUE_TYPE', `${described} ${problemOf(typeof value === 'string' ? value : '')}`, value);
}

function problemOf(text: string): string {
  const scheme = OTHER_SCHEME.exec(text.trimStart())?.[1];
  if (scheme === undefined) return 'is not an address: write it in full, like https://example.com/page';
  if (!/^https?$/i.test(scheme))
    return `begins with ${scheme}://, and addresses of web pages begin with https:// or http://: write such an address`;
  if (text.trim() !== text) return 'has blanks around it: leave them out';
  if (!isStorable(text)) return 'contains a NUL character or an unpaired surrogate: leave it out';
  const wrong = UNESCAPED.exec(text)?.[0];
  if (wrong === undefined || !HOST.test(text)) return 'is not an address: its host or its port cannot be right';
  if (SEVERAL.test(text)) return 'contains several addresses: keep one of them';
  return `has ${/\s/.test(wrong) ? 'a blank' : JSON.stringify(wrong)} in it: write ${encodeURIComponent(wrong)} in its place`;
}

function tooLong(text: string): ValueProblem {
  const message = `the address is longer than ${MAX_URL_CHARACTERS} characters: shorten it`;
  return new ValueProblem('VALUE_TOO_LONG', message, text);
}

const SCHEMES = [Buffer.from('https://'), Buffer.from('http://')] as const;

/** 1 for each byte that a path, a query or a fragment may hold unescaped. */
const PLAIN = new Uint8Array(256);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#[]@!$&'()*+,;=%|") {
  PLAIN[character.charCodeAt(0)] = 1;
}

/**
 * Accepts a host whose names are in lower case and whose last name has letters only (neither an IP address nor
 * punycode), followed by nothing or by a path.
 */
const encodeUrl: ByteEncoder = (source, start, end, target, at) => {
  if (end - start > MAX_URL_CHARACTERS) return NOT_ENCODED;
  const path = afterHost(source, afterScheme(source, start, end), end);
  if (path < 0 || (path < end && source[path] !== SLASH)) return NOT_ENCODED;
  for (let index = path; index < end; index++) if (PLAIN[source[index] as number] === 0) return NOT_ENCODED;
  return copyQuoted(source, start, end, target, at);
};

/** Where the host begins; `end` when the scheme is not plain. */
function afterScheme(source: Buffer, start: number, end: number): number {
  for (const scheme of SCHEMES) {
    let matching = 0;
    while (matching < scheme.length && source[start + matching] === scheme[matching]) matching++;
    if (matching === scheme.length && start + matching <= end) return start + matching;
  }
  return end;
}

/** Where a plain host ends; -1 when it is not plain. */
function afterHost(source: Buffer, start: number, end: number): number {
  let index = start;
  let labelStart = start;
  let lettersOnly = true;
  for (; index < end && source[index] !== SLASH; index++) {
    const byte = source[index] as number;
    const isFirst = index === labelStart;
    if (byte === POINT && !isFirst) {
      labelStart = index + 1;
      lettersOnly = true;
    } else if (byte === MINUS && !isFirst && source[index - 1] !== MINUS) {
      lettersOnly = false;
    } else if (byte >= 0x30 && byte <= 0x39) {
      lettersOnly = false;
    } else if (byte < 0x61 || byte > 0x7a) {
      return NOT_ENCODED;
    }
  }
  return lettersOnly && index > labelStart ? index : NOT_ENCODED;
}
