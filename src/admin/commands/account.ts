/** `npm run admin -- account …`. */
import { chooseAfterFailure, createAccount, listAccounts } from '../../domain/access/accounts.js';
import { callbackSecrets, rotateCallbackSecret } from '../../domain/access/callback-secret.js';
import { setQuotas, showQuotas } from '../../domain/access/quota-settings.js';
import { QUOTA_NAMES } from '../../domain/access/quotas.js';
import { type Command, requiredText, textOf, UsageError } from './command.js';

export const accountCommands: readonly Command[] = [
  {
    name: 'account create',
    summary: 'Create an account and show its id',
    options: {
      name: { description: 'the name of the account', required: true },
      id: { description: '24 lowercase hexadecimal characters, if the account has an id already' },
    },
    audit: { action: 'ACCOUNT_CREATED', about: ({ id }) => ({ accountId: String(id), target: `account/${id}` }) },
    run: (db, options) => createAccount(db, { name: requiredText(options, 'name'), id: textOf(options, 'id') }),
  },
  {
    name: 'account list',
    summary: 'Show all accounts',
    options: {},
    run: (db) => listAccounts(db),
  },
  {
    name: 'account after-failure',
    summary: 'Choose whether the jobs behind a FAILED job of the same stage go on (the default) or wait to be resumed',
    argument: '<continue|pause>',
    options: { account: { description: 'the id of the account', required: true } },
    audit: {
      action: 'ACCOUNT_AFTER_FAILURE_CHANGED',
      about: ({ id, afterFailure }) => ({ accountId: String(id), target: `after-failure/${afterFailure}` }),
    },
    run: async (db, options, choice) => {
      if (choice !== 'continue' && choice !== 'pause')
        throw new UsageError('account after-failure: give continue or pause');
      return chooseAfterFailure(db, requiredText(options, 'account'), choice);
    },
  },
  {
    name: 'account quotas',
    summary: 'Show the quotas of an account, and how much of them it uses',
    options: { account: { description: 'the id of the account', required: true } },
    run: (db, options) => showQuotas(db, requiredText(options, 'account')),
  },
  {
    name: 'account limit',
    summary: 'Set or remove quotas of an account; what is left out stays. Processes follow within seconds',
    options: {
      account: { description: 'the id of the account', required: true },
      requests: { description: 'requests in a minute, or none for no limit, like the following' },
      rows: { description: 'rows in jobs that have not ended' },
      bytes: { description: 'bytes in the file store' },
      uploads: { description: 'announced files that wait for their upload' },
      stages: { description: 'stages' },
    },
    audit: {
      action: 'ACCOUNT_QUOTAS_CHANGED',
      about: (answer) => ({
        accountId: String(answer.accountId),
        target: `quotas/${QUOTA_NAMES.map((name) => `${name}=${answer[name]}`).join(',')}`,
      }),
    },
    run: (db, options) => {
      const given = QUOTA_NAMES.flatMap((name) => {
        const text = textOf(options, name);
        return text === undefined ? [] : [[name, limitOf(name, text)] as const];
      });
      if (given.length === 0) throw new UsageError(`account limit: give one of --${QUOTA_NAMES.join(', --')}`);
      return setQuotas(db, requiredText(options, 'account'), Object.fromEntries(given));
    },
  },
  {
    name: 'account secret',
    summary: 'Show or replace the secret that signs the callbacks of jobs; an old secret signs too for 24 hours',
    argument: '<show|rotate>',
    options: { account: { description: 'the id of the account', required: true } },
    audit: {
      action: (argument) => (argument === 'rotate' ? 'ACCOUNT_SECRET_ROTATED' : 'ACCOUNT_SECRET_SHOWN'),
      about: ({ accountId }) => ({ accountId: String(accountId), target: 'callback-secret' }),
    },
    run: async (db, options, action, secretsKeys) => {
      const accountId = requiredText(options, 'account');
      if (action !== 'show' && action !== 'rotate')
        throw new UsageError('account secret: give the action show or rotate');
      if (action === 'rotate') await rotateCallbackSecret(db, secretsKeys(), accountId);
      const [signingSecret, previous] = await callbackSecrets(db, secretsKeys(), accountId);
      return { accountId, signingSecret, previousSigningSecret: previous ?? null };
    },
  },
];

function limitOf(name: string, text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} must be a whole number or none, not "${text}"`);
}
