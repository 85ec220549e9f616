/** npm run admin -- account … */
import { createAccount, listAccounts } from '../domain/access/accounts.js';
import { type Command, requiredText, textOf } from './command.js';

export const accountCommands: readonly Command[] = [
  {
    name: 'account create',
    summary: 'Make an account and show its id',
    options: {
      name: { description: 'what people call it', required: true },
      id: { description: '24 lowercase hex characters, if it has an id already' },
    },
    run: (db, options) => createAccount(db, { name: requiredText(options, 'name'), id: textOf(options, 'id') }),
  },
  {
    name: 'account list',
    summary: 'Show all accounts',
    options: {},
    run: (db) => listAccounts(db),
  },
];
