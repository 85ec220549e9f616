/** The messages of the API, which name options by their fields, in the words of this program. */
import { commandLine } from './terminal.js';

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
const NO_CURSOR = '"since" is no cursor: send one that GET /changes or GET /changes/cursor has answered';
const NO_WEBHOOK = /\bNo webhook definition present for the given webhook Id\b/;
const NO_EVENT = /\bNo webhook event present for the given eventRequest Id\b/;

/** @param text a message of the API, or the path of a problem */
export function inOwnWords(text: string): string {
  return text
    .replace(ATOMIC, (found) => (/abort/.test(found) ? '--atomic was given' : '--atomic'))
    .replace(/\bfileName: has\b/, "the file's name has")
    .replace(NO_PROFILE, 'give --no-profile')
    .replace(FIELD, (_, name: string) => OPTIONS[name] ?? name)
    .replace(/(^|: )retryOf(?=$|: )/g, '$1--retry-of')
    .replace(/(^|: )(since|until|outcomes)(?:\.\d+)?(?=$|: )/g, '$1--$2')
    .replace(/^x-site-context: (account|stage|channel)\b/, '--$1')
    .replace(NO_CURSOR, () => `--since is no cursor: give one that "${commandLine('changes')}" has shown`)
    .replace(NO_WEBHOOK, () => `there is no such webhook: "${commandLine('webhooks', 'list')}" shows those of a stage`)
    .replace(NO_EVENT, () => `there is no such event: "${commandLine('webhooks', 'attempts')}" shows them`);
}
