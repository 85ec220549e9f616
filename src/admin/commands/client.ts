/** `npm run admin -- client …`. */
import { createClient, listClients, revokeClient } from '../../domain/access/clients.js';
import { ACCOUNT_SCOPES } from '../../domain/access/scopes.js';
import { type Command, listOf, requiredText } from './command.js';

const account = { description: 'the account to which it belongs', required: true };

export const clientCommands: readonly Command[] = [
  {
    name: 'client create',
    summary: 'Create an OAuth client for POST /oauth2/token and show its secret, which is shown only once',
    options: {
      account,
      name: { description: 'what it is used for', required: true },
      scopes: { description: `separated by commas; default: all of ${ACCOUNT_SCOPES.join(',')}` },
    },
    audit: {
      action: 'CLIENT_CREATED',
      about: ({ clientId, accountId }) => ({ accountId: String(accountId), target: `client/${clientId}` }),
    },
    run: (db, options) =>
      createClient(db, {
        accountId: requiredText(options, 'account'),
        name: requiredText(options, 'name'),
        scopes: listOf(options, 'scopes'),
      }),
  },
  {
    name: 'client list',
    summary: 'Show the OAuth clients of an account (never the secrets)',
    options: { account },
    run: (db, options) => listClients(db, requiredText(options, 'account')),
  },
  {
    name: 'client revoke',
    summary: 'Revoke an OAuth client and the tokens it was given',
    argument: '<client id>',
    options: {},
    audit: {
      action: 'CLIENT_REVOKED',
      about: ({ clientId, accountId }) => ({ accountId: String(accountId), target: `client/${clientId}` }),
    },
    run: (db, _options, id) => revokeClient(db, id),
  },
];
