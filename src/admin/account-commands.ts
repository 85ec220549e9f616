/** npm run admin -- account … */
import { createAccount, listAccounts } from '../domain/access/accounts.js';
import { callbackSecrets, rotateCallbackSecret } from '../domain/access/callback-secret.js';
import { type Command, requiredText, textOf, UsageError } from './command.js';

export const accountCommands: readonly Command[] = [
  {
    name: 'account create',
    summary: 'Create an account and show its id',
    options: {
      name: { description: 'the name of the account', required: true },
      id: { description: '24 lowercase hexadecimal characters, if the account has an id already' },
    },
    run: (db, options) => createAccount(db, { name: requiredText(options, 'name'), id: textOf(options, 'id') }),
  },
  {
    name: 'account list',
    summary: 'Show all accounts',
    options: {},
    run: (db) => listAccounts(db),
  },
  {
    name: 'account secret',
    summary: 'Show or replace the secret that signs the callbacks of jobs; an old secret signs too for 24 hours',
    argument: '<show|rotate>',
    options: { account: { description: 'the id of the account', required: true } },
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
