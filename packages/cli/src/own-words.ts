/** The messages of the API, which name options by their fields, in the words of this program. */

const OPTIONS: Readonly<Record<string, string>> = {
  mode: '--mode',
  delimiter: '--delimiter',
  decimalSeparator: '--decimal-separator',
  dateFormat: '--date-format',
  encoding: '--encoding',
  sheet: '--sheet',
  retryOf: '--retry-of',
  validateOnly: '--dry-run',
};
const NO_PROFILE = /send "(?:options\.)?profile": null/g;
const NAMES = Object.keys(OPTIONS).join('|');
const FIELD = new RegExp(`\\b(?:options\\.|the option \`?)(${NAMES})\\b\`?`, 'g');
const ATOMIC = /\b(?:options\.|the option `?)?onError\b`?(?:(?: is |=)"?abort"?)?/g;

/** @param text a message of the API, or the path of a problem */
export function inOwnWords(text: string): string {
  return text
    .replace(ATOMIC, (found) => (/abort/.test(found) ? '--atomic was given' : '--atomic'))
    .replace(/\bfileName: has\b/, "the file's name has")
    .replace(NO_PROFILE, 'give --no-profile')
    .replace(FIELD, (_, name: string) => OPTIONS[name] ?? name)
    .replace(/(^|: )retryOf(?=$|: )/g, '$1--retry-of');
}
